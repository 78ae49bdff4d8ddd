// The key of the person who owns a data folder. It is in the folder, for its owner's eyes: a command that
// can read it has proved whose it is. The database and the master key are there as well, so it opens
// nothing that its reader could not open anyway.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWholeFile } from './whole-file.ts';

export const OWNER_FILE = 'owner.json';

export function readOwnerKey(dataDir: string): string | undefined {
  try {
    const { key } = JSON.parse(readFileSync(join(dataDir, OWNER_FILE), 'utf8')) as {
      key?: unknown;
    };
    return typeof key === 'string' ? key : undefined;
  } catch {
    return undefined;
  }
}

export async function writeOwnerKey(dataDir: string, key: string): Promise<void> {
  await writeWholeFile(join(dataDir, OWNER_FILE), `${JSON.stringify({ key })}\n`, { mode: 0o600 });
}
