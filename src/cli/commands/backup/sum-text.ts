import type { BackupHeader, TableSum } from '../../../store/backup/format.ts';
import { countOf } from '../../terminal/figures.ts';

/** What a backup holds, for people. */
export function describeSums(sums: readonly TableSum[]): string {
  const rowsOf = (table: string) => sums.find(({ name }) => name === table)?.rows ?? 0;
  const all = sums.reduce((sum, { rows }) => sum + rows, 0);
  return `${countOf(rowsOf('users'), 'user')}, ${countOf(rowsOf('jobs'), 'job')}, ${countOf(all, 'row')} in all`;
}

/** The same for programs, whatever was done with it. */
export function backupDocument(header: BackupHeader, sums: readonly TableSum[]) {
  const { release, takenAt, schemaVersion } = header;
  return { release, takenAt, schemaVersion, tables: sums };
}
