// Which schema a database has, without changing anything in it.
import pg from 'pg';
import { checkAge, readApplied } from './applied-migrations.ts';
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
  const files = await readMigrations(options.folder);
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
    const { rows } = await client.query<{ server: string }>(
      `select current_setting('server_version') as server`,
    );
    const applied = await readApplied(client);
    checkAge(applied, files);
    return {
      server: rows[0]?.server ?? 'of unknown version',
      version: applied.at(-1)?.version ?? 0,
      latest: files.at(-1)?.version ?? 0,
      connections: await readConnections(client),
    };
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
