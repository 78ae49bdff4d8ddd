// A new master key, and every stored secret under it.
import { ConfigError } from '../../../config/config-error.ts';
import {
  addMasterKey,
  keepMasterKeys,
  keyringFromFolder,
  keyringFromText,
} from '../../../platform/keyring.ts';
import { checkMasterKeys, rewrapAll } from '../../../services/provider-keys/secrets.ts';
import { listSealedExamples } from '../../../store/accounts/sealed-secrets.ts';
import { withDatabase } from './database.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print } from '../../terminal/output.ts';
import type { CommandOptions } from '../../command.ts';
import { configOf } from '../../settings/settings.ts';

export async function rotateSecrets(options: CommandOptions): Promise<number> {
  const config = configOf(options);
  const { masterKey } = config;
  if (masterKey !== undefined && !masterKey.includes(',')) {
    throw new ConfigError([
      'MILLRACE_MASTER_KEY holds one key. Put the new one in front of it, separated by a comma, restart every server with both, then rotate.',
    ]);
  }
  const given = masterKey === undefined ? undefined : keyringFromText(masterKey);
  const result = await withDatabase(config, async ({ db }) => {
    const current = given ?? keyringFromFolder(config.dataDir);
    // A folder without the right keys must not get a new one beside them.
    await checkMasterKeys(db, current);
    if (given === undefined) addMasterKey(config.dataDir);
    const masterKeys = given ?? keyringFromFolder(config.dataDir);
    const counts = await rewrapAll(db, masterKeys);
    const examples = await listSealedExamples(db);
    const inUse = new Set(examples.map(({ sealed }) => sealed.split('.')[1] ?? ''));
    const removed = given === undefined ? keepMasterKeys(config.dataDir, inUse) : [];
    return { masterKeyId: masterKeys.active().id, ...counts, removed };
  });
  if (options['json']) print(JSON.stringify(result));
  else
    print(
      `${result.rewrapped} secrets are now encrypted with the master key ${result.masterKeyId}.`,
    );
  if (result.unreadable > 0) {
    note(
      `${result.unreadable} secrets are damaged and were left alone; their owners must add them again.`,
    );
  }
  return EXIT.ok;
}
