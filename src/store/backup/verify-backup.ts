// Whether a backup file holds what was put into it, without a database.
import { BackupError } from './backup-error.ts';
import { createSum } from './format.ts';
import type { BackupHeader, TableSum } from './format.ts';
import { openBackupFile, readEnd, tableData } from './read-file.ts';

export function checkSum(told: TableSum | undefined, found: TableSum): void {
  const same =
    told?.name === found.name && told.rows === found.rows && told.sha256 === found.sha256;
  if (same) return;
  throw new BackupError(
    'RESTORE_DIFFERS',
    `The table "${found.name}" is not what the backup says it is: ${found.rows} rows instead of ` +
      `${told?.rows ?? 'none'}, or other content. Nothing was changed. Use another backup.`,
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
    let told: TableSum | undefined;
    for await (const block of tableData(backup, (each) => (told = each))) sum.add(block);
    // The rows cannot be counted without a database; their text can be compared.
    checkSum(told, sum.end(name, told?.rows ?? 0));
    sums.push(told!);
  }
  await readEnd(backup);
  return { header, sums };
}
