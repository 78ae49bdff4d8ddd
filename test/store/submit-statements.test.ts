// What a submit costs the database beside its rows: each statement is planned once for a connection, and what does not
// change is not written.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import type { NewJob } from '../../src/store/jobs/new-job.ts';
import { createSubmitter } from '../../src/store/jobs/submit-jobs.ts';
import type { Submitter } from '../../src/store/jobs/submit-jobs.ts';
import type { Db } from '../../src/store/postgres/db.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

/** So many times PostgreSQL plans a prepared statement for its values before it looks for one plan for all. */
const TRIALS = 5;
const TEAMS = 300;

let database: TestDatabase;
let db: Db;
let submitter: Submitter;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
  // One connection, and a new one: what it has prepared can be asked of no other.
  db = openDb({ url: database.url, poolSize: 1, silenceMs: PATIENT_MS });
  const signals = createSignals({ originId: newId('sig'), db, onError: () => undefined });
  const startExecution = () => Promise.reject(new Error('There is no execution here.'));
  submitter = createSubmitter({ db, signals, startExecution });
  await db.query(
    `insert into team_queue (team_id, budget_usd) select 'team_' || g, 100 from generate_series(1, $1::int) g
     on conflict do nothing`,
    [TEAMS],
  );
  await db.query(
    `insert into nodes (id, role, version, slots, holds_lock, silent_ms)
     values ('node_1', 'all', 'test', 8, true, 8000) on conflict do nothing`,
  );
});
afterEach(() => db?.close());

const callOf = (teamId: string, concurrentJobs: number | null = null): NewJob => ({
  jobId: newId('job'),
  teamId,
  userId: 'user_1',
  apiKeyId: null,
  runId: undefined,
  streamId: 'call',
  streamName: undefined,
  waveNumber: 1,
  feature: 'call',
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  simulated: false,
  maxTokens: 5,
  temperature: undefined,
  reasoning: undefined,
  serviceTier: undefined,
  priority: 0,
  prompt: '""',
  promptParts: undefined,
  sealedKey: undefined,
  timeoutMs: 60_000,
  runsPerMonth: null,
  concurrentJobs,
  idempotency: undefined,
  isCall: true,
  call: { nodeId: 'node_1', usedSoFar: '{}' },
  largestCostUsd: () => 0.01,
});

async function submitted(job: NewJob): Promise<void> {
  expect(await submitter.submit(job)).toMatchObject({ kind: 'accepted' });
}

const PLANNED = `select name, custom_plans::int as planned, generic_plans::int as "usedAgain"
  from pg_prepared_statements where name ~ '^(submit_|team_budgets|usage_months_)' order by name`;

it.each(['that has no statistics yet', 'with statistics'])(
  'plans each statement of a call once, in a database %s',
  async (which) => {
    if (which === 'with statistics') await db.query('analyze');
    for (let call = 1; call <= 3 * TRIALS; call += 1) await submitted(callOf(`team_${call}`));
    const { rows } = await db.query<{ name: string; planned: number; usedAgain: number }>(PLANNED);
    expect(rows.map(({ name }) => name)).toEqual([
      'submit_lock_teams',
      'submit_write_jobs',
      'team_budgets',
      'usage_months_add_money',
    ]);
    for (const row of rows) {
      expect(row).toMatchObject({ planned: TRIALS, usedAgain: 2 * TRIALS });
    }
  },
);

it("writes the row of a team's queue only where a call changes it", async () => {
  const placeOf = async () => {
    const { rows } = await db.query<{ place: string; inQueue: number }>(
      `select ctid::text as place, in_queue as "inQueue" from team_queue where team_id = 'team_200'`,
    );
    return rows[0]!;
  };
  const before = await placeOf();
  await submitted(callOf('team_200'));
  expect(await placeOf()).toEqual(before);
  await submitted(callOf('team_200', 3));
  const after = await placeOf();
  expect(after.inQueue).toBe(before.inQueue + 1);
  expect(after.place).not.toBe(before.place);
});
