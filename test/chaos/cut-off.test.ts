import { beforeEach, expect, test } from 'vitest';
import { createKeyIn } from '../support/chaos/accounts.ts';
import { findContradictions, untilAllEnded } from '../support/chaos/check-tables.ts';
import { useCleanup } from '../support/chaos/cleanup.ts';
import { createChaosClient } from '../support/chaos/client.ts';
import { createHistory } from '../support/chaos/history.ts';
import type { ServerProcess } from '../support/chaos/server-process.ts';
import { launchServer } from '../support/chaos/server-process.ts';
import { waitUntil } from '../support/processes.ts';
import type { TestServer } from '../support/server.ts';
import { startTestServer } from '../support/server.ts';
import { startFakeNode } from '../support/fake-node.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { verifies } from '../support/verifies.ts';

const SLOTS = 4;
const cleanup = useCleanup();

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ role: 'api' });
  cleanup(() => server.close());
});

function launchWorker(databaseUrl: string): ServerProcess {
  const worker = launchServer({ role: 'worker', databaseUrl, slots: SLOTS });
  cleanup(() => worker.kill('SIGKILL'));
  return worker;
}

async function nodeIds(): Promise<string[]> {
  const { rows } = await server.db.query<{ id: string }>(
    'select id from nodes where slots > 0 order by started_at',
  );
  return rows.map((row) => row.id);
}

async function untilRunning(nodeId: string, jobIds: readonly string[]): Promise<void> {
  await waitUntil(async () => {
    const { rows } = await server.db.query(
      `select 1 from jobs where node_id = $1 and status = 'running' and id = any($2)`,
      [nodeId, jobIds],
    );
    return rows.length === jobIds.length;
  }, `${jobIds.length} jobs on ${nodeId}`);
}

test('a worker cut off from the database stops by itself, loses its jobs, and comes back as another', async () => {
  verifies('job.transition.requeue', 'job.terminal.frozen');
  const history = createHistory();
  const client = createChaosClient({
    url: () => server.url,
    apiKey: await createKeyIn(server.db),
    history,
  });
  const proxy = await startTcpProxy(server.databaseUrl);
  cleanup(() => proxy.close());
  const cutOff = launchServer({ role: 'all', databaseUrl: proxy.url, slots: SLOTS });
  cleanup(() => cutOff.kill('SIGKILL'));
  const cutOffUrl = await cutOff.ready();
  const [oldId = ''] = await nodeIds();

  const submit = (name: string, directive: string) =>
    client.submit(name, { model: 'sim-instant', prompt: `${name} ${directive}` });
  // Uninterrupted, the first calls would never end; the second ones can be seen to run, and end.
  const A_WHILE = '[[sim:delay 20000]]';
  const jobIds = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => submit(name, '[[sim:hang]]')),
  );
  await untilRunning(oldId, jobIds);
  const other = launchWorker(server.databaseUrl);
  await other.ready();
  const otherId = (await nodeIds()).find((id) => id !== oldId)!;

  proxy.silence();
  await server.db.query('update jobs set prompt = $1', [JSON.stringify(`again ${A_WHILE}`)]);
  await waitUntil(
    () => cutOff.logged('could not reach the database; stopping all model calls').length > 0,
    'the worker to stop by itself',
  );
  await untilRunning(otherId, jobIds);
  expect(await nodeIds()).toEqual([otherId]);
  proxy.restore();
  const ends = await Promise.all(jobIds.map((jobId) => client.finished(jobId)));
  for (const end of ends) expect(end).toMatchObject({ status: 'completed', attempt: 2 });

  const newId = await waitUntil(
    async () => (await nodeIds()).find((id) => id !== otherId && id !== oldId),
    'the worker to come back',
  );
  expect(cutOff.logged('rejoining')).not.toEqual([]);
  const metrics = await (await fetch(`${cutOffUrl}/metrics`)).text();
  expect(metrics).toContain('millrace_workers_fenced_total 1\n');

  // All of its slots are free, so nothing of what it lost is still under way.
  await other.kill('SIGTERM');
  const later = await Promise.all(['e', 'f', 'g', 'h'].map((name) => submit(name, A_WHILE)));
  await untilRunning(newId, later);
  await untilAllEnded(server.db);
  for (const jobId of history.jobIds()) await client.look(jobId);
  expect(history.violations()).toEqual([]);
  expect(await findContradictions(server.db)).toEqual([]);
  const { rows } = await server.db.query(
    `select attempt, count(*) from usage_ledger where outcome = 'completed' group by 1 order by 1`,
  );
  expect(rows).toEqual([
    { attempt: 1, count: 4 },
    { attempt: 2, count: 4 },
  ]);
});

test('answers that came while the database was away for all end their jobs, and nobody is given up for it', async () => {
  const proxy = await startTcpProxy(server.databaseUrl);
  cleanup(() => proxy.close());
  // As short as it may be: no other worker is there to take this one for dead.
  const settings = { MILLRACE_DATABASE_SILENCE_SECONDS: '8' };
  const worker = launchServer({ role: 'worker', databaseUrl: proxy.url, slots: SLOTS, settings });
  cleanup(() => worker.kill('SIGKILL'));
  await worker.ready();
  const [workerId = ''] = await nodeIds();
  const { key } = await server.createKey();
  const jobIds = await Promise.all(
    ['a', 'b'].map((streamId) =>
      server.submit(key, { streamId, prompt: '[[sim:delay 3000]] [[sim:tokens 7]]', maxTokens: 9 }),
    ),
  );
  await untilRunning(workerId, jobIds);
  // A node that does not beat either while the database is away, and has its time again afterwards.
  const peer = await startFakeNode(server.databaseUrl, { holdsLock: false, silenceMs: 120_000 });
  cleanup(() => peer.close());

  proxy.silence();
  await waitUntil(
    () => worker.logged('could not reach the database; stopping all model calls').length > 0,
    'the worker to stop its calls',
  );
  await waitUntil(
    () => worker.logged('could not save the result of a job; retrying').length > 0,
    'answers that cannot be saved',
  );
  await peer.die();
  proxy.restore();

  for (const jobId of jobIds) {
    expect(await server.finished(key, jobId)).toMatchObject({ status: 'completed', attempt: 1 });
  }
  const { rows } = await server.db.query(
    'select attempt, outcome, tokens_output, estimated from usage_ledger',
  );
  const once = { attempt: 1, outcome: 'completed', tokens_output: 7, estimated: false };
  expect(rows).toEqual([once, once]);
  // It looks for dead nodes after each beat: several have passed.
  const beatAt = async () => {
    const text = 'select extract(epoch from beat_at)::float8 as at from nodes where id = $1';
    return (await server.db.query<{ at: number }>(text, [workerId])).rows[0]?.at ?? 0;
  };
  const first = await beatAt();
  await waitUntil(async () => (await beatAt()) > first + 3, 'further beats');
  expect((await nodeIds()).sort()).toEqual([workerId, peer.id].sort());
});

test('jobs that a worker stopped because the database was away run again, and no worker counts as lost', async () => {
  const proxy = await startTcpProxy(server.databaseUrl);
  cleanup(() => proxy.close());
  const settings = { MILLRACE_DATABASE_SILENCE_SECONDS: '8' };
  const worker = launchServer({ role: 'worker', databaseUrl: proxy.url, slots: SLOTS, settings });
  cleanup(() => worker.kill('SIGKILL'));
  await worker.ready();
  const [workerId = ''] = await nodeIds();
  const { key } = await server.createKey();
  const jobId = await server.submit(key, { prompt: '[[sim:hang]]' });
  // As often as a job may lose its worker before it is given up.
  for (let outage = 1; outage <= 3; outage++) {
    await untilRunning(workerId, [jobId]);
    if (outage === 3) {
      const text = JSON.stringify('[[sim:tokens 7]]');
      await server.db.query('update jobs set prompt = $1 where id = $2', [text, jobId]);
    }
    proxy.silence();
    await waitUntil(
      () => worker.logged('stopping all model calls').length === outage,
      'the worker to stop its calls',
    );
    proxy.restore();
    await waitUntil(async () => {
      const { rows } = await server.db.query<{ attempt: number }>('select attempt from jobs');
      return rows[0]!.attempt > outage;
    }, 'another attempt');
  }
  const end = await server.finished(key, jobId);
  expect(end).toMatchObject({ status: 'completed', attempt: 4 });
  const { rows } = await server.db.query('select losses from jobs');
  expect(rows).toEqual([{ losses: 0 }]);
  const ledger = await server.db.query(
    'select attempt, outcome from usage_ledger order by attempt',
  );
  expect(ledger.rows).toEqual([
    { attempt: 1, outcome: 'late' },
    { attempt: 2, outcome: 'late' },
    { attempt: 3, outcome: 'late' },
    { attempt: 4, outcome: 'completed' },
  ]);
});
