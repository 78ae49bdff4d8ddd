import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../config/config.ts';
import type { MasterKeys } from '../../../platform/envelope.ts';
import { KEYRING_FILE, keyringFromFolder, keyringFromText } from '../../../platform/keyring.ts';

/** Never makes any: new keys would open nothing, and stand where the right ones belong. */
export function masterKeysHere({ masterKey, dataDir }: Config): MasterKeys {
  if (masterKey !== undefined) return keyringFromText(masterKey);
  if (existsSync(join(dataDir, KEYRING_FILE))) return keyringFromFolder(dataDir);
  return {
    active: () => {
      throw new Error('There are no master keys here.');
    },
    find: () => undefined,
  };
}
