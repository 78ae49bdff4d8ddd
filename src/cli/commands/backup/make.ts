import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { MIGRATIONS_FOLDER, VERSION } from '../../../app/version.ts';
import type { Config } from '../../../config/config.ts';
import { KEYRING_FILE } from '../../../platform/keyring.ts';
import { makeBackup } from '../../../store/backup/make-backup.ts';
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { configOf } from '../../settings/settings.ts';
import { SIGNAL_EXITS, STOP_SIGNALS } from '../../stop-signal.ts';
import type { StopSignal } from '../../stop-signal.ts';
import { note, print } from '../../terminal/output.ts';
import { reachDatabase } from '../server/database.ts';
import { backupDocument, describeSums } from './sum-text.ts';

function pathFor(file: string | undefined): string {
  // Colons are not for file names everywhere.
  const moment = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const path = resolve(file ?? `millrace-${moment}Z.backup`);
  if (existsSync(path)) throw usageError(`${path} already exists.`, 'Choose another name.');
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) {
    throw usageError(`There is no folder ${dirname(path)}.`, 'Create it, or choose another one.');
  }
  return path;
}

/** The one thing without which a backup is of little use, and which must not be in it. */
function keysHint({ masterKey, dataDir }: Config): string {
  const place =
    masterKey === undefined ? resolve(join(dataDir, KEYRING_FILE)) : 'MILLRACE_MASTER_KEY';
  return (
    `The master keys are NOT in the backup: ${place}\n` +
    'Keep a copy of them in another place. Without them, stored provider keys and webhook secrets cannot be decrypted.'
  );
}

export async function backUp(options: CommandOptions, args: string[]): Promise<number> {
  const config = configOf(options);
  const path = pathFor(args[0]);
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals) => stopping.abort(signal);
  for (const name of STOP_SIGNALS) process.once(name, stop);
  const database = await reachDatabase(config);
  try {
    const { signal } = stopping;
    const made = await makeBackup({
      url: database.url,
      path,
      release: VERSION,
      migrations: MIGRATIONS_FOLDER,
      signal,
    });
    const { header, sums, sizeBytes } = made;
    if (options['json']) {
      print(JSON.stringify({ file: path, sizeBytes, ...backupDocument(header, sums) }));
    } else {
      print(`Backed up to ${path} (${describeSums(sums)}; ${sizeBytes} bytes).`);
    }
    note(keysHint(config));
    return EXIT.ok;
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    return SIGNAL_EXITS[stopping.signal.reason as StopSignal];
  } finally {
    for (const name of STOP_SIGNALS) process.removeListener(name, stop);
    await database.stop();
  }
}
