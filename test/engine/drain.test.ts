import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { startCluster } from './worker-processes.ts';
import type { Cluster } from './worker-processes.ts';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster();
});
afterEach(() => cluster?.close());

/** For whoever starts them next: what runs never ends, however slow the machine is, and what starts again does. */
async function askNow(jobIds: readonly string[], prompt: string): Promise<void> {
  await cluster.api.db.query('update jobs set prompt = $2 where id = any($1)', [
    jobIds,
    JSON.stringify(prompt),
  ]);
}

it('finishes short jobs before it stops, and hands long ones to another worker', async () => {
  verifies('operator.exit.ok');
  const { api } = cluster;
  const { key } = await api.createKey();
  const leaving = await cluster.startWorker({ MILLRACE_DRAIN_SECONDS: '12' });
  const long = await api.submit(key, { prompt: '[[sim:hang]]' });
  await cluster.running(long);
  const short = await api.submit(key, { prompt: '[[sim:delay 1500]] short' });
  await waitUntil(async () => (await cluster.job(short)).status !== 'pending', 'a start');
  const ended = leaving.process.kill('SIGTERM');
  // While it drains it takes nothing new.
  await leaving.process.waitFor(/no new jobs are taken/);
  const later = await api.submit(key, { prompt: 'later' });

  expect(await api.finished(key, short)).toMatchObject({ status: 'completed', attempt: 1 });
  expect(await cluster.job(later)).toMatchObject({ status: 'pending', attempt: 0 });
  await ended;
  expect(await leaving.process.ended).toBe(0);
  expect(await cluster.nodeIds()).toEqual([]);
  expect(await cluster.job(long)).toEqual({
    status: 'pending',
    attempt: 1,
    losses: 0,
    node_id: null,
    error_code: null,
  });

  await askNow([long], '[[sim:tokens 30]]');
  await cluster.startWorker();
  for (const jobId of [long, later]) {
    expect(await api.finished(key, jobId)).toMatchObject({ status: 'completed' });
  }
  expect(await cluster.job(long)).toMatchObject({ attempt: 2, losses: 0 });
  expect(await cluster.job(short)).toMatchObject({ attempt: 1, losses: 0 });
  // The first attempt had got no text yet.
  expect(await cluster.ledger(long)).toEqual([
    { attempt: 1, outcome: 'late', tokens_output: 0 },
    { attempt: 2, outcome: 'completed', tokens_output: 30 },
  ]);
});

it('hands its jobs over at once to a worker that has room, when it need not wait', async () => {
  const { api } = cluster;
  const { key } = await api.createKey();
  const leaving = await cluster.startWorker({ MILLRACE_DRAIN_SECONDS: '0' });
  const jobs = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      api.submit(key, { prompt: '[[sim:hang]]', streamId: `s${index}` }),
    ),
  );
  for (const jobId of jobs) await cluster.running(jobId);
  await askNow(jobs, 'Go.');
  const staying = await cluster.startWorker();
  await leaving.process.kill('SIGTERM');
  expect(await leaving.process.ended).toBe(0);
  for (const jobId of jobs) {
    expect(await api.finished(key, jobId)).toMatchObject({ status: 'completed' });
    expect((await cluster.job(jobId)).losses).toBe(0);
  }
  await waitUntil(async () => (await cluster.nodeIds()).length === 1, 'one node to be left');
  expect(await cluster.nodeIds()).toEqual([staying.nodeId]);
});
