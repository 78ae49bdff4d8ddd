// Statistics are of most moments, when hardly any job waits. A claim must be as fast when many do: it reads the jobs that
// it takes and not the whole backlog, whatever the statistics say.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimForIdleTeams, claimJobs } from '../../src/store/jobs/claim-jobs.ts';
import type { Db, Queryable, Statement } from '../../src/store/postgres/db.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

const WAITING = 4000;
const TEAMS = 20;
const LIMIT = 8;

let database: TestDatabase;
let db: Db;

const insertJobs = (status: string, place: string, count: number) =>
  db.query(
    `insert into jobs (id, user_id, team_id, run_id, stream_id, wave_number, provider, model, simulated, max_tokens,
       priority, prompt, timeout_ms, deadline_at, status, queued_at, virtual_time)
     select 'job_${status}_' || g, 'user_1', 'team_' || g % ${TEAMS}, 'run_1', 'api', 1, 'simulator', 'sim-instant',
       true, 10, 0, '"x"', 1000, now() + interval '1 hour', $1, now(), ${place} from generate_series(1, $2::int) g`,
    [status, count],
  );

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb({ url: database.url, poolSize: 1, silenceMs: PATIENT_MS });
  await db.query('alter table jobs set (autovacuum_enabled = off)');
  await insertJobs('completed', 'null', WAITING);
  await db.query('analyze jobs');
  await insertJobs('pending', 'g', WAITING);
  await db.query(
    `insert into nodes (id, role, version, slots, holds_lock, silent_ms) values ('node_1', 'all', 'test', 8, true, 8000)`,
  );
});
afterAll(async () => {
  await db?.close();
  await database?.drop();
});

interface Node {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** What a claim reads of the table of jobs, by index. */
async function readsOf(
  claim: (queryable: Queryable) => Promise<unknown>,
): Promise<Map<string, number>> {
  let sent: [statement: Statement, values: readonly unknown[]] | undefined;
  await claim({
    async query(statement, values = []) {
      sent = [statement as Statement, values];
      return { rows: [], rowCount: 0 };
    },
  });
  const [{ text }, values] = sent!;
  const { rows } = await db.query<{ 'QUERY PLAN': { Plan: Node }[] }>(
    `explain (analyze, format json) ${text}`,
    values,
  );
  const reads = new Map<string, number>();
  for (const node of nodesOf(rows[0]!['QUERY PLAN'][0]!.Plan)) {
    if (node['Relation Name'] !== 'jobs') continue;
    const index = node['Index Name'] ?? 'no index';
    const read =
      (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    if (read > 0) reads.set(index, (reads.get(index) ?? 0) + read);
  }
  return reads;
}

it('a claim in turn reads what it takes', async () => {
  const reads = await readsOf((queryable) => claimJobs(queryable, 'node_1', LIMIT));
  expect(reads.get('jobs_waiting')).toBe(LIMIT);
  const total = [...reads.values()].reduce((sum, read) => sum + read, 0);
  expect(total, JSON.stringify([...reads])).toBeLessThan(20 * LIMIT);
});

it('a claim for idle teams steps from team to team', async () => {
  const reads = await readsOf((queryable) =>
    claimForIdleTeams(queryable, 'node_1', { limit: LIMIT, after: '' }),
  );
  const total = [...reads.values()].reduce((sum, read) => sum + read, 0);
  expect(total, JSON.stringify([...reads])).toBeLessThan(10 * TEAMS);
});
