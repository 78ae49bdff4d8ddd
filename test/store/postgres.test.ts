import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../src/store/postgres/db.ts';
import { isRetryableConflict, isUnavailable } from '../../src/store/postgres/errors.ts';
import { openListener } from '../../src/store/postgres/listen.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import type { TestDatabase } from '../support/database.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';
import { PATIENT_MS } from '../support/database-mode.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

let database: TestDatabase;
const cleanups: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await createEmptyDatabase();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

afterAll(() => database.drop());

/** As databases are opened unless told. */
const USUAL = { silenceMs: undefined };

function open(options: Partial<Parameters<typeof openDb>[0]> = {}): Db {
  const db = openDb({ url: database.url, silenceMs: PATIENT_MS, ...options });
  cleanups.push(() => db.close());
  return db;
}

async function listen(
  options: Partial<Parameters<typeof openListener>[0]>,
): ReturnType<typeof openListener> {
  const listener = await openListener({
    url: database.url,
    channels: ['test_news'],
    onNotification: () => undefined,
    onConnect: () => undefined,
    ...options,
  });
  cleanups.push(() => listener.close());
  return listener;
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It should have failed.');
}

const readPid = { name: 'test.read-pid', text: 'select pg_backend_pid() as pid' };
const divide = { name: 'test.divide', text: 'select 100 / $1::int as quotient, $2::int as id' };

describe('values', () => {
  test('bigint comes as a number, numeric as its exact string and timestamptz as a Date', async () => {
    const { rows } = await open().query(
      `select 9007199254740991::bigint as big, 0.10::numeric as price,
              '2030-01-02T03:04:05.678Z'::timestamptz as moment`,
    );
    expect(rows).toEqual([
      { big: 9007199254740991, price: '0.10', moment: new Date('2030-01-02T03:04:05.678Z') },
    ]);
  });

  test('a named statement is prepared on the server, unless prepared names are off', async () => {
    const names = `select count(*) as count from pg_prepared_statements where name = 'test.named'`;
    for (const prepared of [true, false]) {
      const db = open({ poolSize: 1, prepared });
      await db.query({ name: 'test.named', text: 'select $1::int as value' }, [1]);
      expect((await db.query<{ count: number }>(names)).rows[0]?.count).toBe(prepared ? 1 : 0);
    }
  });
});

describe('transactions', () => {
  test('what a failing transaction wrote is gone, and its connection serves the next one', async () => {
    const db = open({ poolSize: 1 });
    await db.query('create table rollback_test (id int primary key)');
    const error = await failure(
      db.tx(async (tx) => {
        await tx.query('insert into rollback_test values (1)');
        throw new Error('changed my mind');
      }),
    );
    expect(error).toEqual(new Error('changed my mind'));
    await db.tx((tx) => tx.query('insert into rollback_test values (2)'));
    expect((await db.query('select id from rollback_test')).rows).toEqual([{ id: 2 }]);
  });

  test('a transaction that swallowed a failed statement does not pass for committed', async () => {
    const db = open();
    const error = await failure(
      db.tx(async (tx) => {
        await tx.query('select 1 / 0').catch(() => undefined);
      }),
    );
    expect(String(error)).toContain('rolled back');
  });

  test('a statement that was sent behind one that failed fails for the same reason', async () => {
    const db = open();
    const failing = db.tx(async (tx) => {
      tx.commitBehind(tx.query('select 1 / 0'));
      await tx.query('select 1');
    });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
  });

  test('a query on a transaction that is over is refused', async () => {
    const db = open();
    const leaked = await db.tx(async (tx) => Promise.resolve(tx));
    expect(String(await failure(leaked.query('select 1')))).toContain('has ended');
  });

  test('through a pooler, where names are off, a transaction brings its own limits', async () => {
    const db = open({ prepared: false, queryTimeoutMs: 20_000 });
    const { rows } = await db.tx((tx) => tx.query('show statement_timeout'));
    expect(rows).toEqual([{ statement_timeout: '18s' }]);
  });

  test('losing to another transaction is told apart from other failures', async () => {
    const db = open();
    await db.query('create table conflict_test as select 1 as n');
    const error = await failure(
      db.tx(async (tx) => {
        await tx.query('set transaction isolation level repeatable read');
        await tx.query('select n from conflict_test');
        await db.query('update conflict_test set n = 2');
        await tx.query('update conflict_test set n = 3');
      }),
    );
    expect(isRetryableConflict(error)).toBe(true);
    expect(isUnavailable(error)).toBe(false);
  });
});

describe('reads on the shared connection', () => {
  test('a thousand at once, some of them failing, each get their own answer', async () => {
    const db = open();
    const answers = await Promise.allSettled(
      Array.from({ length: 1000 }, (_, id) =>
        db.read<{ quotient: number; id: number }>(divide, [id % 7, id]),
      ),
    );
    for (const [id, answer] of answers.entries()) {
      if (id % 7 === 0) {
        expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
      } else {
        const row = { quotient: Math.floor(100 / (id % 7)), id };
        expect(answer).toMatchObject({ status: 'fulfilled', value: { rows: [row] } });
      }
    }
    const pids = await Promise.all([db.read(readPid), db.read(readPid)]);
    expect(pids[0].rows).toEqual(pids[1].rows);
  });

  test('survive the end of their backend, even those that were in flight', async () => {
    const db = open();
    const before = (await db.read<{ pid: number }>(readPid)).rows[0]?.pid;
    const slow = { name: 'test.slow', text: 'select pg_sleep(0.3), $1::int as id' };
    const inFlight = Promise.all([1, 2, 3].map((id) => db.read<{ id: number }>(slow, [id])));
    await waitUntil(async () => {
      const busy = `select 1 from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'`;
      return (await db.query(busy, [before])).rowCount;
    });
    await db.query('select pg_terminate_backend($1)', [before]);
    expect((await inFlight).map((answer) => answer.rows[0]?.id)).toEqual([1, 2, 3]);
    expect((await db.read<{ pid: number }>(readPid)).rows[0]?.pid).not.toBe(before);
  });

  test('values that cannot be sent fail alone and do not spoil the statement', async () => {
    const db = open();
    await db.read(divide, [5, 1]);
    const circular: unknown[] = [];
    circular.push({ circular });
    await failure(db.read({ name: 'test.fresh', text: 'select $1::text as v' }, [circular[0]]));
    const { rows } = await db.read({ name: 'test.fresh', text: 'select $1::text as v' }, ['x']);
    expect(rows).toEqual([{ v: 'x' }]);
  });

  test('a statement whose result changed shape in a migration is prepared anew', async () => {
    const db = open();
    await db.query('create table shape_test as select 1 as a');
    const all = { name: 'test.shape', text: 'select * from shape_test' };
    await db.read(all);
    await db.query('alter table shape_test add column b int default 2');
    expect((await db.read(all)).rows).toEqual([{ a: 1, b: 2 }]);
  });
});

describe('a database that is not there', () => {
  test('a refused connection is reported as unavailable by queries, reads and transactions', async () => {
    const db = open({ url: 'postgres://nobody:x@127.0.0.1:1/none' });
    for (const attempt of [
      db.query('select 1'),
      db.read(readPid),
      db.tx((tx) => tx.query('select 1')),
    ]) {
      expect(isUnavailable(await failure(attempt))).toBe(true);
    }
  });

  test('waiting in vain for a free connection is reported as unavailable', async () => {
    const db = open({ poolSize: 1, connectTimeoutMs: 1_000 });
    // Its one connection may take a while on a busy machine.
    await waitUntil(() =>
      db.query('select 1').then(
        () => true,
        () => false,
      ),
    );
    await db.tx(async () => {
      expect(isUnavailable(await failure(db.query('select 1')))).toBe(true);
    });
  });

  test('a statement over its time is unavailable and leaves the connection in use', async () => {
    const db = open({ ...USUAL, poolSize: 1 });
    const before = await db.query(readPid);
    expect((await db.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '27s' }]);
    await db.query('set statement_timeout = 100');
    expect(isUnavailable(await failure(db.query('select pg_sleep(30)')))).toBe(true);
    expect((await db.query(readPid)).rows).toEqual(before.rows);
  });

  test('a connection gone silent ends in a timeout, and a new one takes its place', async () => {
    const proxy = await startTcpProxy(database.url);
    cleanups.push(() => proxy.close());
    const db = open({
      url: proxy.url,
      queryTimeoutMs: 5_000,
      connectTimeoutMs: 5_000,
      poolSize: 2,
    });
    const before = await Promise.all([db.query(readPid), db.read(readPid)]);
    proxy.silence();
    const errors = await Promise.all([
      failure(db.query('select 1')),
      failure(db.read(readPid)),
      failure(db.tx((tx) => tx.query('select 1'))),
    ]);
    expect(errors.map((error) => isUnavailable(error))).toEqual([true, true, true]);
    proxy.restore();
    await waitUntil(async () => (await db.query('select 1').catch(() => undefined))?.rowCount);
    await waitUntil(async () => {
      const after = await db.read(readPid).catch(() => undefined);
      return after && after.rows !== before[1].rows;
    });
  });

  test('a server may be silent for as long as it is told to wait', async () => {
    const proxy = await startTcpProxy(database.url);
    cleanups.push(() => proxy.close());
    const patient = open({ url: proxy.url, silenceMs: 600_000 });
    const usual = open({ ...USUAL, url: proxy.url });
    await Promise.all([patient.query('select 1'), usual.query('select 1')]);
    proxy.silence();
    let told: unknown;
    const waiting = failure(patient.query('select 1')).then((error) => (told = error));
    expect(isUnavailable(await failure(usual.query('select 1')))).toBe(true);
    expect(told).toBeUndefined();
    await patient.close();
    expect(isUnavailable(await waiting)).toBe(true);
  });

  test('closing does not wait for a server that has gone silent', async () => {
    const proxy = await startTcpProxy(database.url);
    cleanups.push(() => proxy.close());
    const db = open({ url: proxy.url });
    await Promise.all([db.query('select 1'), db.read(readPid)]);
    const hanging = failure(db.query('select pg_sleep(20)'));
    const other = open();
    await waitUntil(async () => {
      const sleeping = `select 1 from pg_stat_activity where query = 'select pg_sleep(20)'`;
      return (await other.query(sleeping)).rowCount;
    });
    proxy.silence();
    await db.close();
    expect(isUnavailable(await hanging)).toBe(true);
    expect(isUnavailable(await failure(db.query('select 1')))).toBe(true);
    expect(isUnavailable(await failure(db.read(readPid)))).toBe(true);
  });
});

describe('the listener', () => {
  test('hears notifications, and again after its backend was ended', async () => {
    const db = open();
    const heard: string[] = [];
    const sessions: number[] = [];
    let disconnects = 0;
    const listener = await listen({
      onNotification: ({ channel, payload }) => heard.push(`${channel}:${payload}`),
      onConnect: async (session) => {
        const { rows } = await session.query<{ pid: number }>(readPid);
        await session.query('select pg_advisory_lock(4711)');
        sessions.push(rows[0]?.pid ?? 0);
      },
      onDisconnect: () => {
        disconnects += 1;
      },
    });
    await db.query(`notify test_news, 'first'`);
    await waitUntil(() => heard.includes('test_news:first'));
    await db.query('select pg_terminate_backend($1)', [sessions[0]]);
    await waitUntil(() => sessions.length === 2);
    expect(disconnects).toBe(1);
    expect(sessions[1]).not.toBe(sessions[0]);
    await db.query(`notify test_news, 'second'`);
    await waitUntil(() => heard.includes('test_news:second'));
    await waitUntil(async () =>
      listener.query('select 1').then(
        () => true,
        () => false,
      ),
    );
    const { rows } = await db.query('select pg_try_advisory_lock(4711) as free');
    expect(rows).toEqual([{ free: false }]);
  });

  test('notices by its heartbeat that the connection has gone silent', async () => {
    const proxy = await startTcpProxy(database.url);
    cleanups.push(() => proxy.close());
    let connects = 0;
    await listen({
      url: proxy.url,
      heartbeatMs: 1_000,
      onConnect: () => {
        connects += 1;
      },
    });
    proxy.silence();
    proxy.restore();
    await waitUntil(() => connects >= 2);
  });

  test('tries again when what it does on connecting fails', async () => {
    const db = open();
    const pids: number[] = [];
    const errors: string[] = [];
    await listen({
      onError: (error) => errors.push(error.message),
      onConnect: async (session) => {
        pids.push((await session.query<{ pid: number }>(readPid)).rows[0]?.pid ?? 0);
        if (pids.length === 2) throw new Error('not yet');
      },
    });
    await db.query('select pg_terminate_backend($1)', [pids[0]]);
    await waitUntil(() => pids.length === 3);
    expect(errors).toContain('not yet');
  });

  test('rejects at once when the first connection cannot be made', async () => {
    const url = 'postgres://nobody:x@127.0.0.1:1/none';
    expect(isUnavailable(await failure(listen({ url })))).toBe(true);
  });
});
