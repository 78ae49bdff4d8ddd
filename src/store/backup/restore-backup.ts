// Restores a backup in one transaction: until its commit the database is what it was, whatever happens.
import type pg from 'pg';
import type { Price } from '../../domain/usage/largest-cost.ts';
import { ensurePartition, monthOfPartition } from '../jobs/archive-partitions.ts';
import type { Queryable } from '../postgres/db.ts';
import { checkAge, readApplied } from '../postgres/applied-migrations.ts';
import { applyFile, createMigrationsTable, inTurn } from '../postgres/migrate.ts';
import { readMigrations } from '../postgres/migration-files.ts';
import type { MigrationFile } from '../postgres/migration-files.ts';
import { BackupError } from './backup-error.ts';
import { copyIn, copyOut } from './copy.ts';
import { createSum } from './format.ts';
import type { BackupHeader, TableShape, TableSum } from './format.ts';
import { readEnd, tableData } from './read-file.ts';
import type { BackupReader } from './read-file.ts';
import { checkUnused, countData, describeCounts, dropOurs } from './restore-target.ts';
import type { DataCounts } from './restore-target.ts';
import { listColumns, queryableOf, quoted, setFormats, withClient } from './session.ts';
import { moveDeadlines, releaseRunning } from './settle-restored.ts';
import { checkSum } from './verify-backup.ts';

export interface RestoreOptions {
  url: string;
  /** Found whole when it was opened. */
  backup: BackupReader;
  migrations: string;
  price: Price;
  /** Asked when there is something to lose; nothing happens unless it resolves with true. */
  mayReplace(counts: DataCounts): Promise<boolean>;
  /** The last word: what it throws leaves the database as it was. */
  check(tx: Queryable): Promise<void>;
  onTable?(name: string, client: pg.Client): Promise<void>;
}

export interface Restored {
  header: BackupHeader;
  sums: TableSum[];
  /** Jobs that were running, and wait again. */
  released: number;
  migrated: number[];
}

function checkKnown({ migrations, release }: BackupHeader, files: MigrationFile[]): void {
  if ((migrations[0]?.version ?? 0) < (files[0]?.version ?? 0)) {
    throw new BackupError(
      'BACKUP_TOO_OLD',
      `The backup was made by a checkout from before the first release of Millrace (schema version ${migrations.at(-1)?.version}). ` +
        'Only the checkout that made it can restore it.',
    );
  }
  for (const { version, name, checksum } of migrations) {
    const file = files.find((each) => each.version === version);
    if (file?.checksum === checksum) continue;
    const latest = files.at(-1)?.version ?? 0;
    throw new BackupError(
      'BACKUP_TOO_NEW',
      `The backup was made by Millrace ${release} with schema version ${migrations.at(-1)?.version}. ` +
        `This release ${version > latest ? `knows versions up to ${latest}` : `has another ${name}`}. ` +
        'Restore it with the release that made it, or a later one.',
    );
  }
}

async function sumOf(client: pg.Client, { name, columns }: TableShape, table: string) {
  const sum = createSum();
  let rows = 0;
  // In the order in which the rows went in, which is that of a table nobody has changed.
  const query = `select ${quoted(columns)} from ${table}`;
  for await (const block of copyOut(client, query, (count) => (rows = count))) sum.add(block);
  return sum.end(name, rows);
}

/** Compared twice: what comes from the file, and what the database makes of it. */
async function loadTable(
  client: pg.Client,
  backup: BackupReader,
  shape: TableShape,
): Promise<TableSum> {
  const table = quoted([shape.name]);
  // Migrations put first rows into some.
  await client.query(`delete from ${table}`);
  let expected: TableSum | undefined;
  const source = tableData(backup, (sum) => (expected = sum));
  await copyIn(client, `${table} (${quoted(shape.columns)})`, source);
  const found = await sumOf(client, shape, table);
  checkSum(expected, found);
  return found;
}

async function loadTables(
  client: pg.Client,
  { backup, onTable }: RestoreOptions,
): Promise<TableSum[]> {
  for (const { name } of backup.header.tables) {
    const month = monthOfPartition(name);
    if (month !== undefined) await ensurePartition(queryableOf(client), month);
  }
  const known = await listColumns(
    client,
    backup.header.tables.map(({ name }) => name),
  );
  const sums: TableSum[] = [];
  for (const shape of backup.header.tables) {
    if (!known.has(shape.name)) {
      throw new BackupError('BACKUP_TOO_NEW', `This release has no table "${shape.name}".`);
    }
    sums.push(await loadTable(client, backup, shape));
    await onTable?.(shape.name, client);
  }
  await readEnd(backup);
  return sums;
}

async function checkTarget(
  client: pg.Client,
  files: readonly MigrationFile[],
  options: RestoreOptions,
): Promise<void> {
  checkAge(await readApplied(client), files);
  await checkUnused(client);
  const counts = await countData(client);
  if (Object.keys(counts).length === 0 || (await options.mayReplace(counts))) return;
  throw new BackupError(
    'DATABASE_NOT_EMPTY',
    `The database already has data (${describeCounts(counts)}). Nothing was changed. ` +
      'To delete it and restore the backup in its place, add --replace.',
  );
}

export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { header } = options.backup;
  const files = await readMigrations(options.migrations);
  checkKnown(header, files);
  return withClient(options.url, 'millrace-restore', async (client) => {
    await checkTarget(client, files, options);
    return inTurn(client, async (transactionId) => {
      const tx = queryableOf(client);
      const migrate = async (wanted: readonly MigrationFile[]) => {
        for (const file of wanted) await applyFile(client, file, transactionId);
      };
      await setFormats(client);
      await dropOurs(client);
      await createMigrationsTable(client);
      await migrate(files.filter(({ version }) => version <= header.schemaVersion));
      const sums = await loadTables(client, options);
      const missing = files.filter(({ version }) => version > header.schemaVersion);
      await migrate(missing);
      const released = await releaseRunning(tx, options.price);
      await moveDeadlines(tx, header.takenAt);
      await options.check(tx);
      return { header, sums, released, migrated: missing.map(({ version }) => version) };
    });
  });
}
