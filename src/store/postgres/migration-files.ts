import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface MigrationFile {
  version: number;
  name: string;
  fileName: string;
  sql: string;
  checksum: string;
  /** See concurrent-migration. */
  isOutsideTransaction: boolean;
  /** Servers that know this version of the schema work with the file applied; older ones may not. */
  oldestServer: number;
}

const FILE_NAME = /^(\d{4})_([a-z0-9][a-z0-9_-]*)\.sql$/;

const OUTSIDE = /^-- millrace: outside a transaction$/m;
/** Of a file that takes away what they use. */
const OLDEST_SERVER = /^-- millrace: needs servers from (\d{4})$/m;

/** The folder's migrations in order. Files that do not end in .sql are none of our business. */
export async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const files: MigrationFile[] = [];
  for (const fileName of names) {
    const match = FILE_NAME.exec(fileName);
    const version = Number(match?.[1] ?? 0);
    if (!match?.[2] || version === 0) {
      throw new Error(`${fileName} is not a migration's name; it should look like 0001_jobs.sql.`);
    }
    const before = files.at(-1);
    if (before?.version === version) {
      throw new Error(`${before.fileName} and ${fileName} have the same number; renumber one.`);
    }
    const sql = await readFile(join(folder, fileName), 'utf8');
    const isOutsideTransaction = OUTSIDE.test(sql);
    const oldestServer = Number(OLDEST_SERVER.exec(sql)?.[1] ?? 0);
    const known = { version, name: match[2], fileName, sql, isOutsideTransaction, oldestServer };
    files.push({ ...known, checksum: checksum(sql) });
  }
  return files;
}

// A checkout with other line endings is still the same migration.
function checksum(sql: string): string {
  return createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex');
}
