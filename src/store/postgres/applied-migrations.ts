// Which migrations a database has, and whether this release can work with them.
import type pg from 'pg';
import { SchemaTooNewError, SchemaTooOldError } from './migration-error.ts';
import type { MigrationFile } from './migration-files.ts';

export interface AppliedRow {
  version: number;
  name: string;
  checksum: string;
  oldestServer: number;
}

/** Oldest first. None in a database that Millrace has not been started on. */
export async function readApplied(client: pg.Client): Promise<AppliedRow[]> {
  const { rows: found } = await client.query<{ isThere: boolean }>(
    `select to_regclass('millrace_migrations') is not null as "isThere"`,
  );
  if (!found[0]?.isThere) return [];
  // As JSON: the table of a checkout from before the first release may lack the column.
  const { rows } = await client.query<AppliedRow>(
    `select version, name, checksum, (to_jsonb(m) ->> 'oldest_server')::int as "oldestServer"
     from millrace_migrations m order by version`,
  );
  return rows;
}

/**
 * What a newer release has added does not matter to this one, unless it says so: a node can be started again, or
 * go back to the release before, in the middle of an upgrade.
 */
export function checkAge(rows: readonly AppliedRow[], files: readonly MigrationFile[]): void {
  const [first = 0, latest = 0] = [files[0]?.version, files.at(-1)?.version];
  const newest = rows.at(-1)?.version ?? 0;
  if (rows.some(({ version }) => version < first)) throw new SchemaTooOldError(newest);
  const newer = rows.filter(({ version }) => version > latest);
  if (newer.some(({ oldestServer }) => oldestServer > latest)) {
    throw new SchemaTooNewError(newest, latest);
  }
}
