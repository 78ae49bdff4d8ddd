// Whether a backup file holds what was put into it, without a database.
import { BackupError } from './backup-error.ts';
import { createSum } from './format.ts';
import type { BackupHeader, TableSum } from './format.ts';
import { openBackupFile, readEnd, tableData } from './read-file.ts';

export function checkSum(expected: TableSum | undefined, found: TableSum): void {
  const same =
    expected?.name === found.name &&
    expected.rows === found.rows &&
    expected.sha256 === found.sha256;
  if (same) return;
  throw new BackupError(
    'RESTORE_DIFFERS',
    `The table "${found.name}" is not what the backup says it is: ${found.rows} rows instead of ` +
      `${expected?.rows ?? 'none'}, or other content. Nothing was changed. Use another backup.`,
  );
}

export async function verifyBackup(
  path: string,
): Promise<{ header: BackupHeader; sums: TableSum[] }> {
  const backup = await openBackupFile(path);
  const { header } = backup;
  const sums: TableSum[] = [];
  for (const { name } of header.tables) {
    const sum = createSum();
    let expected: TableSum | undefined;
    for await (const block of tableData(backup, (each) => (expected = each))) sum.add(block);
    // The rows cannot be counted without a database; their text can be compared.
    checkSum(expected, sum.end(name, expected?.rows ?? 0));
    sums.push(expected!);
  }
  await readEnd(backup);
  return { header, sums };
}
