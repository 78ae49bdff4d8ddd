// Which schema a database has, without changing anything in it.
import pg from 'pg';
import { checkNotTooNew } from './migrate.ts';
import type { AppliedRow } from './migrate.ts';
import { readMigrations } from './migration-files.ts';
import { startMs } from './time-limits.ts';

export interface SchemaVersion {
  /** Of PostgreSQL, for people. */
  server: string;
  /** 0 in a database that Millrace has not been started on. */
  version: number;
  /** What this release brings it to. */
  latest: number;
  connections: Connections;
}

export interface Connections {
  /** That ordinary roles can have at the same time. */
  limit: number;
  /** Of all programs; the one that asks is not counted. */
  inUse: number;
}

export async function readSchemaVersion(options: {
  url: string;
  folder: string;
}): Promise<SchemaVersion> {
  const latest = (await readMigrations(options.folder)).at(-1)?.version ?? 0;
  const client = new pg.Client({
    connectionString: options.url,
    fallback_application_name: 'millrace-doctor',
    connectionTimeoutMillis: startMs(),
    query_timeout: startMs(),
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin read only');
    const { rows } = await client.query<{ server: string; isKnown: boolean }>(
      `select current_setting('server_version') as server,
              to_regclass('millrace_migrations') is not null as "isKnown"`,
    );
    const { server = 'of unknown version', isKnown = false } = rows[0] ?? {};
    const newest = isKnown
      ? await client.query<{ version: number | null }>(
          'select max(version) as version from millrace_migrations',
        )
      : undefined;
    const version = newest?.rows[0]?.version ?? 0;
    if (version > latest) {
      const { rows: newer } = await client.query<AppliedRow>(
        `select version, name, checksum, (to_jsonb(m) ->> 'oldest_server')::int as "oldestServer"
         from millrace_migrations m where version > $1 order by version`,
        [latest],
      );
      checkNotTooNew(newer, latest);
    }
    return { server, version, latest, connections: await readConnections(client) };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function readConnections(client: pg.Client): Promise<Connections> {
  const { rows } = await client.query<Connections>(
    `select current_setting('max_connections')::int
         - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true), '0')::int as limit,
       (select count(*)::int from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()) as "inUse"`,
  );
  return rows[0]!;
}
