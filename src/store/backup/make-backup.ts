// A backup of everything at one moment, while servers go on: one transaction that sees what was committed
// when it began. An acknowledged job is committed, so it is in every backup that begins after the answer.
import type pg from 'pg';
import { ARCHIVED_JOBS, listPartitions } from '../jobs/archive-partitions.ts';
import { checkAge, readApplied } from '../postgres/applied-migrations.ts';
import { readMigrations } from '../postgres/migration-files.ts';
import { BackupError } from './backup-error.ts';
import { copyOut } from './copy.ts';
import { createSum, encodeRecord } from './format.ts';
import type { BackupHeader, TableShape, TableSum } from './format.ts';
import { listColumns, queryableOf, quoted, setFormats, withClient } from './session.ts';
import { BACKED_UP_TABLES } from './tables.ts';
import { writeBackupFile } from './write-file.ts';

export interface BackupOptions {
  url: string;
  path: string;
  release: string;
  /** The folder with those of this release. */
  migrations: string;
  signal?: AbortSignal;
}

export interface MadeBackup {
  header: BackupHeader;
  sums: TableSum[];
  sizeBytes: number;
}

/** Partitions instead of the table that they are parts of. None is dropped until the backup is made. */
async function listNames(client: pg.Client): Promise<string[]> {
  await client.query(`lock table ${ARCHIVED_JOBS} in access share mode`);
  const partitions = await listPartitions(queryableOf(client));
  return BACKED_UP_TABLES.flatMap((name) => (name === ARCHIVED_JOBS ? partitions : [name]));
}

async function describeDatabase(
  client: pg.Client,
  { release, migrations: folder }: BackupOptions,
): Promise<BackupHeader> {
  const applied = await readApplied(client);
  // Tables of other names would be left out without a word.
  checkAge(applied, await readMigrations(folder));
  const migrations = applied.map(({ version, name, checksum }) => ({ version, name, checksum }));
  const schemaVersion = migrations.at(-1)?.version ?? 0;
  if (schemaVersion === 0) {
    throw new BackupError(
      'DATABASE_EMPTY',
      'There is nothing to back up: no server has used this database yet.',
    );
  }
  const { rows } = await client.query<{ takenAt: string; postgres: string }>(
    `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "takenAt",
       current_setting('server_version') as postgres`,
  );
  const names = await listNames(client);
  const columns = await listColumns(client, names);
  const tables: TableShape[] = names.flatMap((name) => {
    const found = columns.get(name);
    return found === undefined ? [] : [{ name, columns: found }];
  });
  const { takenAt = '', postgres = '' } = rows[0] ?? {};
  return { release, takenAt, postgres, schemaVersion, migrations, tables };
}

function queryFor({ name, columns }: TableShape): string {
  return `select ${quoted(columns)} from ${quoted([name])}`;
}

const jsonRecord = (kind: 'header' | 'table' | 'end', content: unknown): Buffer =>
  encodeRecord(kind, Buffer.from(JSON.stringify(content)));

async function* recordsOf(
  client: pg.Client,
  header: BackupHeader,
  sums: TableSum[],
): AsyncGenerator<Buffer> {
  yield jsonRecord('header', header);
  for (const table of header.tables) {
    const sum = createSum();
    let rows = 0;
    for await (const block of copyOut(client, queryFor(table), (count) => (rows = count))) {
      sum.add(block);
      yield encodeRecord('data', block);
    }
    sums.push(sum.end(table.name, rows));
    yield jsonRecord('table', sums.at(-1));
  }
  yield jsonRecord('end', sums);
}

export async function makeBackup(options: BackupOptions): Promise<MadeBackup> {
  return withClient(options.url, 'millrace-backup', async (client) => {
    await client.query('begin isolation level repeatable read, read only');
    await setFormats(client);
    const header = await describeDatabase(client, options);
    const sums: TableSum[] = [];
    const records = recordsOf(client, header, sums);
    const sizeBytes = await writeBackupFile(options.path, records, options.signal);
    return { header, sums, sizeBytes };
  });
}
