import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { usageError } from '../../command-error.ts';

/** Of a backup that is there. */
export function existingBackup(file: string | undefined): string {
  const path = resolve(file ?? '');
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw usageError(`There is no file ${path}.`, 'Check the name.');
  if (!stat.isFile()) throw usageError(`${path} is not a file.`, 'Name the backup itself.');
  return path;
}
