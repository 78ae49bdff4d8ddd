// What depends on how nodes hear of each other and how they are known to live, without LISTEN and without
// locks on sessions. TEST_DATABASE_MODE=poll+lease runs everything else this way.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import {
  createNotifyCarrier,
  createTableCarrier,
} from '../../src/store/postgres/signal-carriers.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import { POLL_AND_LEASE } from '../support/database-mode.ts';
import { startFakeNode } from '../support/fake-node.ts';
import { waitUntil } from '../support/processes.ts';
import { openEvents } from '../support/sse.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';

const LONG = {
  model: 'sim-standard',
  maxTokens: 4000,
  prompt: '[[sim:tokens 4000]] [[sim:pace 50]]',
};

let api: TestServer;
let worker: TestServer;
beforeAll(async () => {
  api = await startTestServer({ role: 'api', ...POLL_AND_LEASE });
  worker = await startTestServer({ role: 'worker', ...POLL_AND_LEASE }, api.databaseUrl);
});
afterAll(async () => {
  await worker?.close();
  await api?.close();
});

async function sessionsThatListen(): Promise<number> {
  const { rows } = await api.db.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and query ilike any(array['listen %', '%advisory_lock(%'])`,
  );
  return rows[0]!.count;
}

describe('servers that poll', () => {
  it('run jobs of each other, and readers and waiters elsewhere hear of them', async () => {
    const { key } = await api.createKey();
    const jobId = await api.submit(key, { ...LONG, prompt: '[[sim:tokens 60]] [[sim:pace 20]]' });
    const events = await openEvents(`${api.url}/api/v1/job/${jobId}/events`, { 'x-api-key': key });
    const waiting = api.call('GET', `/api/v1/job/${jobId}?wait=60`, { key });
    const seen = await events.until(({ event }) => event === 'done');
    expect(seen.some(({ event }) => event === 'text')).toBe(true);
    expect((await waiting).body).toMatchObject({ status: 'completed' });
    expect(await sessionsThatListen()).toBe(0);
  });

  it('stop a call elsewhere that was cancelled, and end streams of a key that was revoked', async () => {
    const { key, id: keyId } = await api.createKey();
    const jobId = await api.submit(key, LONG);
    const events = await openEvents(`${api.url}/api/v1/job/${jobId}/events`, { 'x-api-key': key });
    await events.until(({ event }) => event === 'text');
    await api.call('POST', `/api/v1/job/${jobId}/cancel`, { key });
    // Its tokens are counted when the call has ended, long before it would have by itself.
    const { tokensUsed } = await waitUntil(async () => {
      const { body } = await api.call('GET', `/api/v1/job/${jobId}?view=full`, { key });
      return (body['tokensUsed'] as { output: number }).output > 0 ? body : undefined;
    }, 'the end of the call');
    expect((tokensUsed as { output: number }).output).toBeLessThan(4000);

    const other = await openEvents(`${api.url}/api/v1/events?topics=team`, { 'x-api-key': key });
    await api.revokeKey(keyId);
    await other.rest();
    await waitUntil(
      async () => (await api.call('GET', `/api/v1/job/${jobId}`, { key })).status === 401,
      'the key to be refused',
    );
  });

  it('are heard by servers that listen, and hear those that know of them', async () => {
    const listening = await startTestServer(
      { role: 'api', databaseSignals: 'notify', databaseLiveness: 'lock' },
      api.databaseUrl,
    );
    try {
      const { key } = await listening.createKey();
      const jobId = await listening.submit(key, { prompt: '[[sim:delay 200]]' });
      expect(await listening.finished(key, jobId)).toMatchObject({ status: 'completed' });
    } finally {
      await listening.close();
    }
  });

  it('are told in the table only while there are any', async () => {
    const { db } = api;
    const onError = (error: unknown) => {
      throw error;
    };
    const carrier = createNotifyCarrier({ db });
    const signals = createSignals({ originId: newId('sig'), db, carrier, onError });
    const sent = async (id: string) => {
      signals.emit('runs', [id]);
      await signals.flush();
      const { rows } = await db.query('select 1 from signals where ids = $1', [[id]]);
      return rows.length;
    };
    expect(await sent('unheard')).toBe(0);
    expect(carrier.read({ channel: 'millrace_pollers', payload: '' })).toBeUndefined();
    expect(await sent('heard')).toBe(1);
  });

  it('send on where the database has no notifications', async () => {
    const { db } = api;
    let asked = 0;
    const carrier = createTableCarrier({
      db: {
        async query(statement, values) {
          const text = typeof statement === 'string' ? statement : statement.text;
          if (!text.includes('pg_notify')) return db.query(statement, values);
          asked += 1;
          return db.query(text.replace('pg_notify', 'no_such_function'), values);
        },
      },
    });
    await carrier.send('sig_test', [{ name: 'runs', ids: ['without'] }]);
    await carrier.send('sig_test', [{ name: 'runs', ids: ['without'] }]);
    const { rows } = await db.query('select 1 from signals where ids = $1', [['without']]);
    expect(rows).toHaveLength(2);
    expect(asked).toBe(1);
  });
});

describe('a node with a lease', () => {
  it('is given up by how long it says it may be silent, whatever the others may be', async () => {
    verifies('config.database-silence');
    const { key } = await api.createKey();
    await worker.close();
    const jobs = await Promise.all([api.submit(key), api.submit(key)]);
    const usual = await startFakeNode(api.databaseUrl, { holdsLock: false });
    const patient = await startFakeNode(api.databaseUrl, {
      holdsLock: false,
      silenceMs: 3_600_000,
    });
    const beatAgo = (id: string, minutes: number) =>
      api.db.query(`update nodes set beat_at = now() - $2 * interval '1 min' where id = $1`, [
        id,
        minutes,
      ]);
    try {
      const [lost, kept] = [await usual.claim(), await patient.claim()];
      await beatAgo(patient.id, 30);
      await beatAgo(usual.id, 1);
      const settings = { role: 'worker', ...POLL_AND_LEASE } as const;
      worker = await startTestServer(settings, api.databaseUrl);
      expect(await api.finished(key, lost.id)).toMatchObject({ attempt: 2 });
      const { rows } = await api.db.query('select node_id from jobs where id = $1', [kept.id]);
      expect(rows).toEqual([{ node_id: patient.id }]);
      // Nobody waits for an hour here.
      await api.db.query('update nodes set silent_ms = 8000 where id = $1', [patient.id]);
      for (const jobId of jobs) {
        expect(await api.finished(key, jobId)).toMatchObject({ status: 'completed', attempt: 2 });
      }
    } finally {
      await usual.close();
      await patient.close();
    }
  });

  it('is not given up for having no lock, but when its lease has run out', async () => {
    verifies('job.transition.requeue');
    const { key } = await api.createKey();
    await worker.close();
    const jobs = await Promise.all([api.submit(key), api.submit(key)]);
    const leased = await startFakeNode(api.databaseUrl, { holdsLock: false });
    const locked = await startFakeNode(api.databaseUrl, { holdsLock: true });
    const beatAgo = (id: string, ms: number) =>
      api.db.query(`update nodes set beat_at = now() - $2 * interval '1 ms' where id = $1`, [
        id,
        ms,
      ]);
    // One that sees locks, and gives up whom it may after two seconds.
    try {
      const [mine, other] = [await leased.claim(), await locked.claim()];
      worker = await startTestServer(
        { role: 'worker', databaseSignals: 'notify', databaseLiveness: 'lock' },
        api.databaseUrl,
      );
      const jobOf = async (id: string) => {
        const { rows } = await api.db.query<{ node_id: string; attempt: number }>(
          'select node_id, attempt from jobs where id = $1',
          [id],
        );
        return rows[0]!;
      };
      // Kept at an age at which only a lock would save it, until the other one is gone.
      await waitUntil(async () => {
        await beatAgo(leased.id, 3000);
        await beatAgo(locked.id, 3000);
        return (await jobOf(other.id)).attempt === 2;
      }, 'the node without its lock to be given up');
      expect(await jobOf(mine.id)).toEqual({ node_id: leased.id, attempt: 1 });
      await beatAgo(leased.id, 8500);
      for (const jobId of jobs) {
        expect(await api.finished(key, jobId)).toMatchObject({ status: 'completed', attempt: 2 });
      }
    } finally {
      await leased.close();
      await locked.close();
    }
  });
});
