// Retention and the months of ended jobs.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TIERS } from '../../src/domain/job/tiers.ts';
import { applyRetention } from '../../src/engine/retention.ts';
import { listPartitions, partitionOf } from '../../src/store/jobs/archive-partitions.ts';
import type { Db } from '../../src/store/postgres/db.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { daysAgo, insertOldJobs, moveOld } from '../support/old-jobs.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb({ url: database.url, poolSize: 3, silenceMs: PATIENT_MS });
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

let teams = 0;

async function newTeam(tier: 'trial' | 'enterprise') {
  const [userId, teamId] = [`user_${++teams}`, `team_${teams}`];
  await db.query('insert into users (id, email, name) values ($1, $2, $1)', [
    userId,
    `${userId}@example.com`,
  ]);
  await db.query(
    'insert into teams (id, name, slug, personal_user_id, tier) values ($1, $1, $1, $2, $3)',
    [teamId, userId, tier],
  );
  return { userId, teamId };
}

async function archive(
  owner: { userId: string; teamId: string },
  count: number,
  days: number,
): Promise<string[]> {
  const ids = await insertOldJobs(db, owner, { count, at: daysAgo(days) });
  expect(await moveOld(db)).toBe(count);
  return ids;
}

const retain = () => applyRetention({ db, tiers: TIERS, log: { info: () => undefined } });
const left = async (ids: readonly string[]) =>
  (
    await db.query<{ id: string }>('select id from archived_jobs where id = any($1) order by 1', [
      ids,
    ])
  ).rows.map(({ id }) => id);
const runOf = (id: string) => id.replace('job_', 'run_');
const hasMonth = async (days: number) =>
  (await listPartitions(db)).includes(partitionOf(daysAgo(days)));

it('a month that nobody keeps is dropped whole, and its runs and executions go with it', async () => {
  const trial = await newTeam('trial');
  const ids = await archive(trial, 5, 100);
  const execution = ids[0]!.replace('job_', 'exec_');
  await db.query(`update runs set source = 'execution' where id = $1`, [runOf(ids[0]!)]);
  await db.query(
    `insert into executions (id, user_id, team_id, run_id, status, task, context, dry_run, max_steps,
       timeout_ms, provider, model, simulated, deadline_at, ended_at)
     values ($1, $2, $3, $4, 'completed', '""', '{}', false, 1, 1, 'simulator', 'm', true, now(), now())`,
    [execution, trial.userId, trial.teamId, runOf(ids[0]!)],
  );
  await db.query(`update archived_jobs set texts_key = 'jobs/object' where id = $1`, [ids[1]]);
  // A reader that does not end keeps the table: it is tried again later. Waiting for the reader
  // would be for ever: it ends after this.
  await db.tx(async (tx) => {
    await tx.query('select 1 from archived_jobs limit 1');
    await retain();
  });
  expect(await hasMonth(100)).toBe(true);
  await retain();
  expect(await hasMonth(100)).toBe(false);
  const { rows } = await db.query(
    'select id from runs where team_id = $1 union all select id from executions where team_id = $1',
    [trial.teamId],
  );
  expect(rows).toEqual([]);
  const discarded = await db.query('select key from discarded_texts');
  expect(discarded.rows).toEqual([{ key: 'jobs/object' }]);
  // The month can begin anew.
  const again = await archive(await newTeam('enterprise'), 1, 100);
  await retain();
  expect(await left(again)).toEqual(again);
});

it('what one team keeps stays in its month, and the rest goes row by row', async () => {
  const [trial, enterprise] = [await newTeam('trial'), await newTeam('enterprise')];
  const [expired, kept] = [await archive(trial, 3, 200), await archive(enterprise, 2, 200)];
  expect(await retain()).toBe(3);
  expect(await left([...expired, ...kept])).toEqual(kept);
});

it('a run that ended later keeps its jobs, and so the month', async () => {
  const trial = await newTeam('trial');
  const ids = await archive(trial, 2, 300);
  await db.query('update runs set ended_at = $2 where id = $1', [runOf(ids[0]!), daysAgo(5)]);
  expect(await retain()).toBe(1);
  expect(await left(ids)).toEqual([ids[0]]);
  await db.query('update runs set ended_at = $2 where id = $1', [runOf(ids[0]!), daysAgo(31)]);
  expect(await retain()).toBe(1);
  expect(await hasMonth(300)).toBe(false);
});

it('what a deleted team had goes at once, and this month stays', async () => {
  const enterprise = await newTeam('enterprise');
  const ids = await archive(enterprise, 2, 2);
  expect(await retain()).toBe(0);
  await db.query('update teams set deleted_at = now() where id = $1', [enterprise.teamId]);
  expect(await retain()).toBe(2);
  expect(await left(ids)).toEqual([]);
  expect(await hasMonth(2)).toBe(new Date().getUTCMonth() === daysAgo(2).getUTCMonth());
});
