// The promise of the queue in numbers: ten thousand waiting jobs of one team, and the first jobs of a hundred others.
import { expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { createSubmitter } from '../../src/store/jobs/submit-jobs.ts';
import type { NewJob } from '../../src/store/jobs/new-job.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';

const BACKLOG = 10_000;
const OTHERS = 100;
const NODES = 2;
const SLOTS = 4;

const jobOf = (team: { teamId: string; userId: string }): NewJob => ({
  ...team,
  jobId: newId('job'),
  runId: undefined,
  priority: 0,
  runsPerMonth: null,
  concurrentJobs: null,
  idempotency: undefined,
  largestCostUsd: () => 0,
  apiKeyId: null,
  streamId: 'api',
  streamName: undefined,
  waveNumber: 1,
  feature: 'api',
  provider: 'simulator',
  model: 'sim-instant',
  simulated: true,
  maxTokens: 5,
  temperature: undefined,
  reasoning: undefined,
  serviceTier: undefined,
  prompt: '"x"',
  promptParts: undefined,
  sealedKey: undefined,
  timeoutMs: 3_600_000,
});

/** Much faster than by requests, and the same code from there on. */
function submitterFor({ db }: TestServer) {
  const signals = createSignals({ originId: newId('sig'), db, onError: () => undefined });
  const startExecution = () => Promise.reject(new Error('There is no execution here.'));
  return createSubmitter({ db, signals, startExecution });
}

async function createTeams(api: TestServer) {
  await Promise.all(Array.from({ length: OTHERS + 1 }, () => api.createKey()));
  const { rows } = await api.db.query<{ teamId: string; userId: string }>(
    'select team_id as "teamId", user_id as "userId" from team_members order by team_id',
  );
  expect(rows).toHaveLength(OTHERS + 1);
  return { busy: rows[0]!, others: rows.slice(1) };
}

it('a backlog of ten thousand jobs delays the first jobs of others by one turn of the slots', async () => {
  const api = await startTestServer({ role: 'api' });
  const nodes = [api];
  try {
    const { busy, others } = await createTeams(api);
    const { submit } = submitterFor(api);
    await Promise.all(Array.from({ length: BACKLOG }, () => submit(jobOf(busy))));
    for (let i = 0; i < NODES; i++) {
      nodes.push(await startTestServer({ role: 'worker', slots: SLOTS }, api.databaseUrl));
    }
    const startedOf = async (condition: string, values: unknown[] = []) => {
      const { rows } = await api.db.query<{ count: number }>(
        `select count(*)::int as count from jobs where started_at is not null and ${condition}`,
        values,
      );
      return rows[0]!.count;
    };
    await waitUntil(async () => (await startedOf('team_id = $1', [busy.teamId])) > 50, 'a start');

    const firsts = await Promise.all(others.map((team) => submit(jobOf(team))));
    expect(new Set(firsts.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
    const { rows } = await api.db.query<{ now: string }>('select clock_timestamp()::text as now');
    await waitUntil(async () => (await startedOf('team_id <> $1', [busy.teamId])) === OTHERS);
    // A claim that began before the others were there has started its jobs before this moment. Every later one takes
    // the others first, so what the busy team may get meanwhile are the slots that are left over by the last of them.
    const between = await startedOf(
      `team_id = $1 and started_at > $2::timestamptz
         and started_at < (select max(started_at) from jobs where team_id <> $1)`,
      [busy.teamId, rows[0]!.now],
    );
    expect(between).toBeLessThanOrEqual(NODES * SLOTS);
    expect(await startedOf('team_id = $1', [busy.teamId])).toBeLessThan(BACKLOG);
  } finally {
    for (const node of nodes.toReversed()) await node.close();
  }
});
