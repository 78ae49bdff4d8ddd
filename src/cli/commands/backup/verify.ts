import { verifyBackup } from '../../../store/backup/verify-backup.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { print } from '../../terminal/output.ts';
import { existingBackup } from './backup-path.ts';
import { backupDocument, describeSums } from './sum-text.ts';

export async function verify(options: CommandOptions, args: string[]): Promise<number> {
  const path = existingBackup(args[0]);
  const { header, sums } = await verifyBackup(path);
  if (options['json']) {
    print(JSON.stringify({ file: path, ok: true, ...backupDocument(header, sums) }));
    return EXIT.ok;
  }
  const { takenAt, release, schemaVersion } = header;
  print(`${path} is whole: ${describeSums(sums)}.`);
  print(`Made at ${takenAt} by Millrace ${release}, schema version ${schemaVersion}.`);
  return EXIT.ok;
}
