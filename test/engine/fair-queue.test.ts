import { afterEach, expect, it } from 'vitest';
import { patiently } from '../support/patient-call.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';

// The API node has no worker, so that jobs can be lined up before any of them starts.
let api: TestServer;
let worker: TestServer | undefined;

afterEach(async () => {
  await worker?.close();
  worker = undefined;
  await api?.close();
});

async function startWorker(slots: number): Promise<void> {
  worker = await startTestServer({ role: 'worker', slots }, api.databaseUrl);
}

const AT_ONCE = 50;
let submits = 0;

async function submitMany(key: string, count: number, body: Record<string, unknown> = {}) {
  const job = { streamId: 'api', prompt: 'x', model: 'sim-instant', maxTokens: 5, ...body };
  const submit = async (): Promise<string> => {
    // So many at once may wait longer for the database than a slow machine can give them.
    const headers = { 'idempotency-key': `many-${++submits}` };
    const send = () => api.call('POST', '/api/v1/execute', { key, headers, body: job });
    const answer = await patiently(send);
    expect(answer).toMatchObject({ status: 202 });
    return answer.body['jobId'] as string;
  };
  const ids: string[] = [];
  for (let start = 0; start < count; start += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - start) }, submit);
    ids.push(...(await Promise.all(batch)));
  }
  return ids;
}

async function startOrder(): Promise<string[]> {
  const { rows } = await api.db.query<{ id: string }>(
    'select id from jobs where started_at is not null order by started_at, id',
  );
  return rows.map((row) => row.id);
}

async function count(sql: string, values: unknown[] = []): Promise<number> {
  const { rows } = await api.db.query<{ count: unknown }>(sql, values);
  return Number(rows[0]!.count);
}

/** How many run at each commit. Their times do not say it: they are from when a transaction began, not from its commit. */
async function noteRunning(): Promise<void> {
  await api.db.query('create table noted_running (count int not null)');
  await api.db.query(`create function note_running() returns trigger language plpgsql as $$ begin
      insert into noted_running select count(*) from jobs where status = 'running';
      return null;
    end $$`);
  await api.db.query(`create constraint trigger note_running after insert or update on jobs
    deferrable initially deferred for each row execute function note_running()`);
}

const MANY = 1000;

it('starts the first job of one user before most of the backlog of another', async () => {
  api = await startTestServer({ role: 'api' });
  const busy = await api.createKey();
  const quiet = await api.createKey();
  await submitMany(busy.key, MANY);
  const early = await api.submit(quiet.key);
  await startWorker(2);
  await api.finished(quiet.key, early);
  expect((await startOrder()).indexOf(early)).toBeLessThan(20);

  // The same once the backlog is under way.
  const left = () => count(`select count(*) from jobs where status = 'pending'`);
  await waitUntil(async () => (await left()) < MANY - 100, 'some of the backlog to be done');
  const late = await api.submit(quiet.key);
  // From when it was in the line for sure: storing it may take a slow machine any time.
  const before = (await startOrder()).length;
  expect(before).toBeLessThan(MANY);
  await api.finished(quiet.key, late);
  expect((await startOrder()).indexOf(late)).toBeLessThan(before + 50);
});

it('shares the slots between users with backlogs', async () => {
  api = await startTestServer({ role: 'api' });
  const users = [await api.createKey(), await api.createKey(), await api.createKey()];
  const owners = new Map<string, number>();
  for (const [index, user] of users.entries()) {
    for (const jobId of await submitMany(user.key, 40)) owners.set(jobId, index);
  }
  await startWorker(1);
  await waitUntil(
    async () => (await count(`select count(*) from jobs where status = 'completed'`)) === 120,
    'all jobs',
  );
  // After any number of starts nobody is further ahead than a few jobs.
  const started = [0, 0, 0];
  for (const jobId of await startOrder()) {
    started[owners.get(jobId)!]! += 1;
    if (started.every((each) => each < 40)) {
      expect(Math.max(...started) - Math.min(...started)).toBeLessThanOrEqual(2);
    }
  }
});

it("keeps a user's own priorities", async () => {
  verifies('job.execute.priority');
  api = await startTestServer({ role: 'api' });
  const { key } = await api.createKey();
  const plain = await submitMany(key, 30, { priority: 0 });
  const low = await submitMany(key, 10, { priority: -5 });
  const high = await submitMany(key, 10, { priority: 5 });
  await startWorker(1);
  await waitUntil(
    async () => (await count(`select count(*) from jobs where status = 'completed'`)) === 50,
    'all jobs',
  );
  const order = await startOrder();
  const places = (ids: string[]) => ids.map((id) => order.indexOf(id));
  // Submitted last, the high ones have passed nearly all plain ones; no low one passes any.
  expect(Math.max(...places(high))).toBeLessThan(20);
  expect(Math.min(...places(low))).toBeGreaterThan(Math.max(...places(plain), ...places(high)));
});

it('never runs more than two jobs of a trial account at once, and finishes them all', async () => {
  verifies('limits.concurrency.tiers', 'limits.concurrency.waits');
  api = await startTestServer({ role: 'api' });
  const { key, email, id: runId } = await api.createKey({ tier: 'trial' });
  await api.db.query('update users set requests_per_minute = 100000 where email = $1', [email]);
  await noteRunning();
  await startWorker(20);
  const jobs = await submitMany(key, 14, { prompt: '[[sim:delay 40]]', runId });
  for (const jobId of jobs) {
    expect(await api.finished(key, jobId)).toMatchObject({ status: 'completed', attempt: 1 });
  }
  const most = await count('select max(count) as count from noted_running');
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(2);
  expect(
    await count('select in_queue as count from team_queue where in_queue <> 0 union select 0'),
  ).toBe(0);
});
