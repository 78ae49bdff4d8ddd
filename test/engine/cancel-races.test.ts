import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteStrayText } from '../../src/store/jobs/streamed-text.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';

const JOBS = 20;
const MIN_ROUNDS = 3;
const MAX_ROUNDS = 20;

let first: TestServer;
let second: TestServer;
let key: string;

beforeAll(async () => {
  first = await startTestServer({ slots: 30 });
  second = await startTestServer({ slots: 30 }, first.databaseUrl);
  key = (await first.createKey()).key;
});
afterAll(async () => {
  await second?.close();
  await first?.close();
});

interface JobState {
  status: string;
  attempt: number;
  settled: boolean;
  error_code: string | null;
  tokens_input: number;
  tokens_output: number;
}

async function stateOf(jobId: string): Promise<JobState> {
  const { rows } = await first.db.query<JobState>(
    `select status, attempt, settled_at is not null as settled, error_code, tokens_input,
       tokens_output from jobs where id = $1`,
    [jobId],
  );
  return rows[0]!;
}

interface LedgerRow {
  attempt: number;
  outcome: string;
  tokens_input: number;
  tokens_output: number;
}

async function ledgerOf(jobId: string): Promise<LedgerRow[]> {
  const { rows } = await first.db.query<LedgerRow>(
    `select attempt, outcome, tokens_input, tokens_output from usage_ledger
     where job_id = $1 order by attempt`,
    [jobId],
  );
  return rows;
}

async function cancel(server: TestServer, jobId: string, as: string = key): Promise<boolean> {
  const answer = await server.call('POST', `/api/v1/job/${jobId}/cancel`, { key: as });
  expect(answer.status).toBe(200);
  return answer.body['cancelled'] as boolean;
}

/** Ends about `ms` after it started. */
const lasting = (ms: number) => `[[sim:delay ${ms}]] [[sim:tokens 20]]`;

async function checkWinner(jobId: string, cancelled: boolean): Promise<void> {
  const views = await Promise.all(
    [first, second, first, second].map(
      async (server) => (await server.call('GET', `/api/v1/job/${jobId}`, { key })).body,
    ),
  );
  const [view] = views;
  expect(view).toMatchObject({
    tokensUsed: { input: expect.any(Number), output: expect.any(Number) },
  });
  expect(view).toMatchObject(
    cancelled ? { status: 'failed', error: 'Job cancelled' } : { status: 'completed' },
  );
  await waitUntil(async () => (await stateOf(jobId)).settled, 'the final counts');
  const state = await stateOf(jobId);
  const ledger = await ledgerOf(jobId);
  // An attempt is claimed, used and told of once; a job cancelled before its claim used nothing.
  expect(ledger.map((row) => row.attempt)).toEqual(state.attempt === 0 ? [] : [1]);
  const used = ledger[0] ?? { tokens_input: 0, tokens_output: 0 };
  expect([state.tokens_input, state.tokens_output]).toEqual([
    used.tokens_input,
    used.tokens_output,
  ]);
  if (!cancelled) expect(used).toMatchObject({ outcome: 'completed', tokens_output: 20 });
  const tokensUsed = { input: state.tokens_input, output: state.tokens_output };
  // A node that polls hears a moment later that the counts are final.
  for (const server of [first, second]) {
    const path = `/api/v1/job/${jobId}`;
    const look = async () => (await server.call('GET', path, { key })).body;
    await expect.poll(look).toEqual({ ...view, tokensUsed });
  }
}

it('lets exactly one of a cancel and a completion win, and both nodes agree which', async () => {
  verifies(
    'job.cancel.state',
    'job.cancel.before-reply',
    'job.terminal.frozen',
    'job.cancel.ended',
  );
  const wins = { cancel: 0, completion: 0 };
  let round = 0;
  /** As long as the cancels take to arrive, which depends on the machine. */
  let lastMs = 40;
  while (round < MIN_ROUNDS || (round < MAX_ROUNDS && wins.cancel * wins.completion === 0)) {
    round += 1;
    const jobs = await Promise.all(
      Array.from({ length: JOBS }, (_, index) =>
        (index % 2 ? first : second).submit(key, {
          prompt: lasting(lastMs),
          streamId: `s${index}`,
        }),
      ),
    );
    const answers = await Promise.all(
      jobs.map(async (jobId, index) => {
        await delay(index * 6);
        // Whichever node runs the job, half of the cancels come to the other one.
        return cancel(index % 4 < 2 ? first : second, jobId);
      }),
    );
    for (const [index, jobId] of jobs.entries()) {
      await checkWinner(jobId, answers[index]!);
      wins[answers[index] ? 'cancel' : 'completion'] += 1;
    }
    if (wins.cancel === 0) lastMs *= 2;
    if (wins.completion === 0) lastMs /= 2;
  }
  expect(wins.cancel).toBeGreaterThan(0);
  expect(wins.completion).toBeGreaterThan(0);
  const { rows } = await first.db.query<{ odd: string }>(
    `select r.id as odd from runs r join jobs j on j.run_id = r.id
     where r.open_jobs <> 0 or r.tokens_output <> j.tokens_output
       or r.status <> case j.status when 'completed' then 'complete' else 'cancelled' end`,
  );
  expect(rows).toEqual([]);
});

it('gives two cancels that arrive at once the same answer', async () => {
  verifies('job.cancel.again');
  const jobId = await first.submit(key, { prompt: '[[sim:hang]]' });
  await waitUntil(async () => (await stateOf(jobId)).status === 'running', 'the start');
  expect(await Promise.all([cancel(first, jobId), cancel(second, jobId)])).toEqual([true, true]);
  expect(await cancel(first, jobId)).toBe(true);
  expect(await ledgerOf(jobId)).toHaveLength(1);
});

it('stops a long stream at once and counts what had come', async () => {
  verifies('job.cancel.stops-spending', 'job.cancel.closes-upstream', 'job.aborted.tokens');
  verifies('job.cancel.late-answer');
  const tokens = 50_000;
  const prompt = `[[sim:tokens ${tokens}]] [[sim:pace 20]]`;
  const jobId = await first.submit(key, { prompt, model: 'sim-standard', maxTokens: tokens });
  const textRows = async () => {
    const { rows } = await first.db.query<{ chunks: number }>(
      'select count(*)::int as chunks from streamed_text where job_id = $1',
      [jobId],
    );
    return rows[0]!.chunks;
  };
  await waitUntil(async () => (await textRows()) > 1, 'text of the running job');
  // One of the two is not the node that runs the job.
  expect(await Promise.all([cancel(first, jobId), cancel(second, jobId)])).toEqual([true, true]);

  // The worker tells its tokens after its call has ended: the row is the proof that it did.
  await waitUntil(async () => (await stateOf(jobId)).settled, 'the final counts');
  const [row, ...more] = await ledgerOf(jobId);
  expect(more).toEqual([]);
  expect(row!.outcome).toBe('late');
  expect(row!.tokens_output).toBeGreaterThan(0);
  expect(row!.tokens_output).toBeLessThan(tokens);
  const { body } = await second.call('GET', `/api/v1/job/${jobId}`, { key });
  const tokensUsed = { input: row!.tokens_input, output: row!.tokens_output };
  expect(body).toEqual({ status: 'failed', error: 'Job cancelled', tokensUsed });

  // What was being written in that moment is cleared away later.
  expect(await textRows()).toBeLessThanOrEqual(1);
  const another = await first.submit(key, { prompt: lasting(400), model: 'sim-standard' });
  await first.finished(key, another);
  await deleteStrayText(first.db);
  expect(await textRows()).toBe(0);
  expect(await ledgerOf(jobId)).toEqual([row]);
  const metrics = await (await fetch(`${first.url}/metrics`)).text();
  expect(metrics).toMatch(/^millrace_jobs_running 0$/m);
});

it('cancels waiting and parked jobs without an attempt, and frees places for others', async () => {
  verifies('job.transition.pending-failed', 'job.failed.tokens', 'limits.concurrency.waits');
  const trial = await first.createKey({ tier: 'trial' });
  await first.db.query('update users set requests_per_minute = 100000 where email = $1', [
    trial.email,
  ]);
  const submit = (prompt: string) => first.submit(trial.key, { prompt, runId: trial.id });
  const hanging = [await submit('[[sim:hang]]'), await submit('[[sim:hang]]')];
  const parked = [await submit('one'), await submit('two')];
  for (const jobId of hanging) {
    await waitUntil(async () => (await stateOf(jobId)).status === 'running', 'the start');
  }
  expect(await stateOf(parked[0]!)).toMatchObject({ status: 'pending', attempt: 0 });

  expect(await cancel(second, parked[0]!, trial.key)).toBe(true);
  expect(await stateOf(parked[0]!)).toMatchObject({
    status: 'failed',
    attempt: 0,
    settled: true,
    tokens_output: 0,
  });
  expect(await ledgerOf(parked[0]!)).toEqual([]);
  expect(await stateOf(parked[1]!)).toMatchObject({ status: 'pending', attempt: 0 });

  expect(await cancel(second, hanging[0]!, trial.key)).toBe(true);
  expect(await first.finished(trial.key, parked[1]!)).toMatchObject({ status: 'completed' });
  expect(await cancel(first, parked[1]!, trial.key)).toBe(false);
  expect(await cancel(first, hanging[1]!, trial.key)).toBe(true);
  const { rows } = await first.db.query<{ in_queue: number }>(
    `select in_queue from team_queue q join teams t on t.id = q.team_id
     join users u on u.id = t.personal_user_id where u.email = $1`,
    [trial.email],
  );
  expect(rows).toEqual([{ in_queue: 0 }]);
});

it('cancels a job that waits for a free slot, and it leaves the line', async () => {
  const busy = await startTestServer({ slots: 1 });
  try {
    const owner = await busy.createKey();
    const running = await busy.submit(owner.key, { prompt: '[[sim:hang]]' });
    await waitUntil(async () => {
      const { rows } = await busy.db.query('select 1 from jobs where status = $1', ['running']);
      return rows.length === 1;
    }, 'the slot to be taken');
    const waiting = await busy.submit(owner.key);
    expect(await cancel(busy, waiting, owner.key)).toBe(true);
    const job = await busy.finished(owner.key, waiting);
    expect(job).toMatchObject({ errorCode: 'CANCELLED', attempt: 0, startedAt: null });
    expect(job).toMatchObject({ tokensUsed: { input: 0, output: 0 }, costUsd: 0 });
    expect(await cancel(busy, running, owner.key)).toBe(true);
    // The slot is free again.
    const next = await busy.submit(owner.key);
    expect(await busy.finished(owner.key, next)).toMatchObject({ status: 'completed' });
    const { rows } = await busy.db.query('select id from jobs where virtual_time is not null');
    expect(rows).toEqual([]);
  } finally {
    await busy.close();
  }
});
