import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { DatabaseUnsuitableError } from '../../src/store/postgres/errors.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import type { WantedModes } from '../../src/store/postgres/modes.ts';
import { openListener } from '../../src/store/postgres/listen.ts';
import { probeDatabase } from '../../src/store/postgres/probe.ts';
import { checkSkipLocked } from '../../src/store/postgres/requirements.ts';
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import { startTransactionPooler } from '../support/transaction-pooler.ts';
import type { Pooler } from '../support/transaction-pooler.ts';

const AUTO: WantedModes = { signals: 'auto', liveness: 'auto', prepared: 'auto' };
const SQL_FOLDER = new URL('../../sql', import.meta.url).pathname;

let database: TestDatabase;
let pooler: Pooler;
beforeAll(async () => {
  database = await createTestDatabase();
  pooler = await startTransactionPooler(database.url);
});
afterAll(async () => {
  await pooler?.close();
  await database?.drop();
});

async function probe(url: string, directUrl = url, wanted: Partial<WantedModes> = {}) {
  const modes = await probeDatabase(
    { url, directUrl },
    { ...AUTO, ...wanted },
    { hasSchema: true },
  );
  return [modes.signals.mode, modes.liveness.mode, modes.prepared.mode];
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A database of its own in which some functions are not what they are elsewhere. */
async function withDatabase(statements: string, work: (url: string) => Promise<void>) {
  const own = await createTestDatabase();
  try {
    const name = new URL(own.url).pathname.slice(1);
    await withClient(own.url, (client) =>
      client.query(`alter database ${name} set search_path = public, pg_catalog; ${statements}`),
    );
    await work(own.url);
  } finally {
    await own.drop();
  }
}

describe('what a database can do', () => {
  it('is everything without a pooler', async () => {
    expect(await probe(database.url)).toEqual(['notify', 'lock', 'on']);
  });

  it('is less through a pooler in transaction mode, unless there is a way past it', async () => {
    expect(await probe(pooler.url)).toEqual(['poll', 'lease', 'off']);
    expect(await probe(pooler.url, database.url)).toEqual(['notify', 'lock', 'off']);
    for (const wanted of [{ signals: 'notify' }, { liveness: 'lock' }] as const) {
      const asked = probe(pooler.url, pooler.url, wanted);
      await expect(asked).rejects.toThrow(/does not work with this database: connections are not/);
    }
  });

  it('is the same through a scripted pooler', async () => {
    if (pooler.name === 'scripted') return;
    const scripted = await startTransactionPooler(database.url, 'scripted');
    try {
      expect(await probe(scripted.url)).toEqual(['poll', 'lease', 'off']);
    } finally {
      await scripted.close();
    }
  });

  it('a listener starts where settings are refused when a connection starts, and has its limits', async () => {
    const scripted = await startTransactionPooler(database.url, 'scripted');
    try {
      let limit: unknown;
      const listener = await openListener({
        url: scripted.url,
        channels: [],
        onNotification() {},
        async onConnect(session) {
          const text = `select current_setting('statement_timeout') as limit`;
          limit = (await session.query(text)).rows[0];
        },
      });
      await listener.close();
      expect(limit).toEqual({ limit: '27s' });
    } finally {
      await scripted.close();
    }
  });

  it('is what it does, not what it accepts', async () => {
    const doNothing = `
      create function public.pg_advisory_lock(bigint) returns void language sql as '';
      create function public.pg_try_advisory_xact_lock(bigint) returns boolean language sql as 'select true';
      create function public.pg_notify(text, text) returns void language sql as '';
      create function public.version() returns text language sql as $$ select 'PostgreSQL 15.2-YB-2025.1.0' $$`;
    await withDatabase(doNothing, async (url) => {
      const modes = await probeDatabase({ url, directUrl: url }, AUTO, { hasSchema: true });
      expect(modes).toEqual({
        signals: { mode: 'poll', why: 'notifications do not arrive' },
        liveness: { mode: 'lease', why: 'locks do not hold' },
        prepared: { mode: 'on', why: 'no pooler' },
      });
    });
  });
});

describe('a database that cannot be used is refused with one line', () => {
  const refusal = async (url: string) => {
    const error: unknown = await migrate({ url, folder: SQL_FOLDER }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(DatabaseUnsuitableError);
    const { message } = error as Error;
    expect(message).not.toContain('\n');
    return message;
  };

  it('when it is too old', async () => {
    const old = `create function public.current_setting(text) returns text language sql as $$
      select case $1 when 'server_version_num' then '130011' when 'server_version' then '13.11'
        else pg_catalog.current_setting($1) end $$`;
    await withDatabase(old, async (url) => {
      expect(await refusal(url)).toMatch(
        /^Millrace needs PostgreSQL 14 or newer; this server is 13/,
      );
    });
  });

  it('when it is read-only', async () => {
    const name = (url: string) => new URL(url).pathname.slice(1);
    const own = await createTestDatabase();
    try {
      await withClient(own.url, (client) =>
        client.query(`alter database ${name(own.url)} set default_transaction_read_only = on`),
      );
      expect(await refusal(own.url)).toMatch(/read-only.* Point DATABASE_URL to the primary\.$/);
    } finally {
      await own.drop();
    }
  });

  it('when the role may not create what is needed', async () => {
    const own = await createEmptyDatabase();
    const role = new URL(own.url).pathname.slice(1).replace('test', 'role');
    const url = new URL(own.url);
    url.username = role;
    url.password = 'probe';
    try {
      await withClient(own.url, async (client) => {
        await client.query(`create role ${role} login password 'probe';
          revoke create on schema public from public`);
        expect(await refusal(url.href)).toContain(`grant create on schema public to ${role}`);
        await client.query(`grant create on schema public to ${role}`);
        await migrate({ url: url.href, folder: SQL_FOLDER });
        await client.query(`drop owned by ${role}; drop role ${role}`);
      });
    } finally {
      await own.drop();
    }
  });

  it('when it does not know SKIP LOCKED', async () => {
    await withClient(database.url, async (client) => {
      const without = Object.assign(Object.create(client) as pg.Client, {
        query: (text: string) => client.query(text.replace('skip locked', 'skip them')),
      });
      await expect(checkSkipLocked(without, 'signals')).rejects.toThrow(/FOR UPDATE SKIP LOCKED/);
      await checkSkipLocked(client, 'signals');
    });
  });

  it('when its two addresses are two databases', async () => {
    const other = await createTestDatabase();
    try {
      await expect(probe(database.url, other.url)).rejects.toThrow(/point to different databases/);
    } finally {
      await other.drop();
    }
  });
});

it('serves jobs, waiters and cancels through a pooler alone', async () => {
  const server = await startTestServer(
    { databaseUrl: pooler.url, databaseDirectUrl: pooler.url, databasePoolSize: 6 },
    database.url,
  );
  try {
    expect(server.logs()).toContain('polling and lease');
    const { key } = await server.createKey();
    const jobs = await Promise.all(
      Array.from({ length: 8 }, () => server.submit(key, { prompt: '[[sim:delay 50]]' })),
    );
    for (const jobId of jobs) {
      expect(await server.finished(key, jobId)).toMatchObject({ status: 'completed' });
    }
    const hanging = await server.submit(key, { prompt: '[[sim:hang]]' });
    const isRunning = async () =>
      (await server.call('GET', `/api/v1/job/${hanging}`, { key })).body['status'] === 'running';
    await waitUntil(isRunning, 'a running job');
    await server.call('POST', `/api/v1/job/${hanging}/cancel`, { key });
    expect(await server.finished(key, hanging)).toMatchObject({ errorCode: 'CANCELLED' });
  } finally {
    await server.close();
  }
  // A node that got no time to say that it lives is right to stop; nothing else may go wrong.
  const errors = server.logs().match(/^\{"level":(50|60).*$/gm) ?? [];
  expect(errors.filter((line) => !line.includes('could not reach the database'))).toEqual([]);
});
