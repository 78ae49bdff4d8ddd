// Jobs that ended a while ago are kept in monthly partitions. Nobody who asks for them notices.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { startArchiving } from '../../src/engine/archive.ts';
import { jobsOf } from '../../src/store/export/team-rows.ts';
import { createJobReads } from '../../src/store/jobs/jobs.ts';
import { recordLateUsage } from '../../src/store/jobs/late-usage.ts';
import { listJobColumns, moveEndedJobs } from '../../src/store/jobs/archive-jobs.ts';
import { listPartitions, partitionOf } from '../../src/store/jobs/archive-partitions.ts';
import { listJobsStatement } from '../../src/store/jobs/job-list.ts';
import { lockRuns } from '../../src/store/runs/lock-runs.ts';
import { listRunStreams } from '../../src/store/runs/runs.ts';
import { addToMonths } from '../../src/store/usage/usage-months.ts';
import { findLedgerGaps } from '../support/ledger-sums.ts';
import { ageRun, daysAgo, insertOldJobs, moveOld } from '../support/old-jobs.ts';
import { waitUntil } from '../support/processes.ts';
import type { TestServer } from '../support/server.ts';
import { useNodes } from '../support/use-server.ts';

const nodes = useNodes(2);
const server = () => nodes()[0]!;

async function newOwner(tier: 'trial' | 'enterprise' = 'enterprise') {
  const { key, email } = await server().createKey({ tier });
  const [userId, teamId] = [await server().userId(email), await server().teamId(email)];
  return { key, userId, teamId };
}

async function exportOf(teamId: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of jobsOf(server().db, teamId)) rows.push(row);
  return rows;
}

const runIdOf = (view: Record<string, unknown>) => view['runId'] as string;

/** Whatever can be asked about jobs, runs and executions, by one node. */
async function ask(
  from: TestServer,
  key: string,
  { jobs, runs, executions }: { jobs: string[]; runs: string[]; executions: string[] },
) {
  const paths = [
    ...jobs.flatMap((id) => [
      `/api/v1/job/${id}`,
      `/api/v1/job/${id}?view=full`,
      `/api/v1/job/${id}?wait=1`,
      `/api/v1/job/${id}/request`,
      `/api/v1/jobs?id=${id}`,
    ]),
    '/api/v1/jobs',
    '/api/v1/jobs?status=failed',
    ...runs.flatMap((id) => [`/api/v1/history/${id}`, `/api/v1/jobs?runId=${id}`]),
    '/api/v1/history',
    ...executions.map((id) => `/v1/executions/${id}`),
    '/v1/executions',
    '/v1/usage/current',
  ];
  const answers: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await from.call('GET', path, { key });
    answers[path] = { status, body };
  }
  for (const id of jobs) {
    answers[`cancel ${id}`] = (await from.call('POST', `/api/v1/job/${id}/cancel`, { key })).body;
    const events = await fetch(`${from.url}/api/v1/job/${id}/events`, {
      headers: { 'x-api-key': key },
    });
    answers[`events ${id}`] = await events.text();
  }
  let cursor = '';
  const pages: unknown[] = [];
  do {
    const { body } = await from.call('GET', `/api/v1/jobs?limit=2${cursor}`, { key });
    pages.push(...(body['items'] as { jobId: string }[]).map(({ jobId }) => jobId));
    cursor = body['hasMore'] === true ? `&before=${String(body['nextCursor'])}` : '';
  } while (cursor !== '');
  answers['pages'] = pages;
  return answers;
}

it('an archived job, its run and its execution answer to everything as before', async () => {
  const { db } = server();
  const { key, teamId } = await newOwner();
  const headers = { 'idempotency-key': 'again' };
  const body = { streamId: 'api', prompt: 'hello', model: 'sim-instant', maxTokens: 20 };
  const first = await server().call('POST', '/api/v1/execute', { key, body, headers });
  const submitted = [
    first.body['jobId'] as string,
    await server().submit(key, { prompt: '[[sim:fail]]', model: 'sim-fast' }),
    await server().submit(key, { runId: 'named', streamId: 'one' }),
    await server().submit(key, { runId: 'named', streamId: 'two', waveNumber: 2 }),
  ];
  const hanging = await server().submit(key, { prompt: '[[sim:hang]]' });
  await server().call('POST', `/api/v1/job/${hanging}/cancel`, { key });
  const task = { task: 'Say hello', model: 'sim-instant' };
  const { body: made } = await server().call('POST', '/v1/executions', { key, body: task });
  const execution = made['id'] as string;
  await waitUntil(async () => {
    const { body: shown } = await server().call('GET', `/v1/executions/${execution}`, { key });
    return shown['status'] !== 'running';
  });
  const runs = new Set<string>();
  for (const id of [...submitted, hanging]) runs.add(runIdOf(await server().finished(key, id)));
  runs.add(execution.replace('exec_', 'run_'));
  const kept = await server().submit(key, { runId: 'named', streamId: 'three' });
  await server().finished(key, kept);
  const ids = new Map<string, string>();
  for (const run of runs) {
    for (const [before, id] of await ageRun(db, run, daysAgo(40))) ids.set(before, id);
  }
  // One of the named run is as young as it was.
  await db.query('update jobs set ended_at = now() where id = $1', [ids.get(kept)]);
  const asked = { jobs: [...ids.values()], runs: [...runs], executions: [execution] };
  const before = await ask(nodes()[0]!, key, asked);
  const exported = await exportOf(teamId);
  expect(await moveOld(db, { limit: 3 })).toBe(ids.size - 1);
  expect(await listPartitions(db)).toEqual([partitionOf(daysAgo(40))]);
  const { rows } = await db.query<{ id: string }>('select id from jobs where id = any($1)', [
    asked.jobs,
  ]);
  expect(rows).toEqual([{ id: ids.get(kept) }]);
  // The other node has nothing of it in memory.
  expect(await ask(nodes()[1]!, key, asked)).toEqual(before);
  expect(Object.keys(before).length).toBeGreaterThan(50);
  expect(exported).toHaveLength(ids.size);
  expect(await exportOf(teamId)).toEqual(exported);

  const replayed = await server().call('POST', '/api/v1/execute', { key, body, headers });
  expect(replayed.body).toEqual({ jobId: ids.get(submitted[0]!) });
  const run = { feature: 'named', status: 'complete', startedAt: daysAgo(40), durationMs: 5 };
  const recorded = { key, body: { run, streams: [] } };
  const { body: again } = await server().call('PUT', '/api/v1/history/named', recorded);
  expect(again['streams']).toHaveLength(3);
  expect(await findLedgerGaps(db)).toEqual([]);
});

it('nothing of a row is lost on the way, and what is not over stays', async () => {
  const { db } = server();
  const owner = await newOwner();
  const [moved, open, unsettled, lost, young, odd] = await insertOldJobs(db, owner, {
    count: 6,
    at: daysAgo(3),
  });
  const change = (id: string, set: string) =>
    db.query(`update jobs set ${set} where id = $1`, [id]);
  await change(open!, `status = 'running'`);
  await change(unsettled!, `status = 'failed', settled_at = null`);
  await change(lost!, `status = 'failed', error_code = 'WORKER_LOST'`);
  await change(young!, `ended_at = now() - interval '23 hours'`);
  await change(odd!, `id = 'job_odd-${owner.userId}'`);
  await change(moved!, `artifact = '{"a":1}', saved_usd = 0.5, used_so_far = '{}', calls = 3`);
  const rowOf = async (table: string) =>
    (await db.query(`select to_jsonb(j) as row from ${table} j where id = $1`, [moved])).rows;
  const before = await rowOf('jobs');
  await moveOld(db);
  expect(await rowOf('archived_jobs')).toEqual(before);
  const { rows } = await db.query('select id from jobs where team_id = $1', [owner.teamId]);
  expect(rows).toHaveLength(5);
  await db.query('delete from jobs where team_id = $1', [owner.teamId]);
});

it('both tables have the same columns', async () => {
  const columnsOf = async (table: string) =>
    (
      await server().db.query(
        `select column_name, data_type, is_nullable, collation_name from information_schema.columns
         where table_name = $1 and table_schema = current_schema() order by ordinal_position`,
        [table],
      )
    ).rows;
  expect(await columnsOf('archived_jobs')).toEqual(await columnsOf('jobs'));
});

it('several nodes move each job once, and leave alone what another transaction holds', async () => {
  const { db } = server();
  const owner = await newOwner();
  const ids = await insertOldJobs(db, owner, { count: 30, at: daysAgo(5) });
  await db.tx(async (tx) => {
    await lockRuns(tx, [{ teamId: owner.teamId, runId: ids[0]!.replace('job_', 'run_') }]);
    const moved = await Promise.all(nodes().map((node) => moveOld(node.db, { limit: 7 })));
    expect(moved[0]! + moved[1]!).toBe(29);
  });
  expect(await moveOld(db)).toBe(1);
  const { rows } = await db.query(
    'select count(*)::int as jobs from archived_jobs where id = any($1)',
    [ids],
  );
  expect(rows).toEqual([{ jobs: 30 }]);
});

it('a reader that looks while jobs move finds them', async () => {
  const { db } = server();
  const owner = await newOwner();
  const [id] = await insertOldJobs(db, owner, { count: 1, at: daysAgo(4) });
  await moveOld(db);
  const runId = id!.replace('job_', 'run_');
  const run = { teamId: owner.teamId, runId, moved: undefined };
  expect(await listRunStreams(db, run)).toMatchObject([{ streamId: 'api' }]);
  // By a clock that is far behind the job looks young.
  const reads = createJobReads(db, () => daysAgo(4).getTime());
  expect(await reads.row(id!)).toMatchObject({ output: '"done"' });
});

it('those who look for many archived jobs at once get each their own', async () => {
  const { db } = server();
  const owner = await newOwner();
  const ids = [
    ...(await insertOldJobs(db, owner, { count: 20, at: daysAgo(4) })),
    ...(await insertOldJobs(db, owner, { count: 20, at: daysAgo(40) })),
  ];
  await moveOld(db);
  const reads = createJobReads(db);
  const unknown = ids[0]!.replace(/.{4}$/, '0000');
  const wanted = [...ids, unknown, ...ids];
  for (const kind of ['first', 'by month'] as const) {
    const rows = await Promise.all(wanted.map((id) => reads.row(id)));
    const found = rows.map((row) => row?.id);
    expect(found, kind).toEqual(wanted.map((id) => (id === unknown ? undefined : id)));
  }
});

it('a month that is dropped is gone for those who had read from it', async () => {
  const { db } = server();
  const owner = await newOwner();
  const at = daysAgo(500);
  const [first, second] = await insertOldJobs(db, owner, { count: 2, at });
  await moveOld(db);
  const reads = createJobReads(db);
  for (const id of [first, second]) expect(await reads.row(id!)).toMatchObject({ id });
  await db.query(`drop table ${partitionOf(at)}`);
  expect(await reads.row(first!)).toBeUndefined();
});

it('a worker that was cut off for days is still counted', async () => {
  const { db } = server();
  const { key } = await newOwner();
  const id = await server().submit(key);
  const runId = runIdOf(await server().finished(key, id));
  const jobId = [...(await ageRun(db, runId, daysAgo(2))).values()][0]!;
  await moveOld(db);
  const { rows } = await db.query<{ team_id: string }>(
    'select team_id from archived_jobs where id = $1',
    [jobId],
  );
  const used = { input: 5, output: 7, cacheRead: 0, cacheWrite: 0 };
  const late = (attempt: number, estimated: boolean) => ({
    jobId,
    runId,
    teamId: rows[0]!.team_id,
    attempt,
    ending: { kind: 'usage_only' as const },
    used: { ...used, estimated, costUsd: 0.25, unpricedCalls: 0 },
    textGeneration: 0,
  });
  const estimated = async () =>
    (await server().call('GET', `/api/v1/history/${runId}`, { key })).body['run'];
  for (const [outcome, isGuess] of [
    ['lost', true],
    ['late', false],
  ] as const) {
    await db.tx(async (tx) => {
      await lockRuns(tx, [{ teamId: rows[0]!.team_id, runId }]);
      await addToMonths(tx, await recordLateUsage(tx, [late(7, isGuess)], outcome));
    });
    expect(await findLedgerGaps(db)).toEqual([]);
    const run = (await estimated()) as Record<string, unknown>;
    expect(run['usageEstimated']).toBe(isGuess ? true : undefined);
  }
});

it('a run that is continued after its jobs were archived counts all of them', async () => {
  const { db } = server();
  const { key, teamId } = await newOwner('trial');
  const first = await server().submit(key, { runId: 'old', streamId: 'one' });
  await server().finished(key, first);
  await ageRun(db, 'old', daysAgo(3));
  await moveOld(db);
  const hanging = { prompt: '[[sim:hang]]', model: 'sim-fast' };
  const others = [await server().submit(key, hanging), await server().submit(key, hanging)];
  // Over the cap, so it waits, and is then lost: the run has worked all the same.
  const last = await server().submit(key, { runId: 'old', streamId: 'two' });
  await db.query(`update jobs set losses = 3 where id = $1 and status = 'pending'`, [last]);
  expect(await server().finished(key, last)).toMatchObject({ errorCode: 'WORKER_LOST' });
  for (const id of others) await server().call('POST', `/api/v1/job/${id}/cancel`, { key });
  const { rows } = await db.query(
    'select stream_count, quota_month is not null as counted from runs where id = $1',
    ['old'],
  );
  expect(rows).toEqual([{ stream_count: 2, counted: true }]);
  // One model of a job that has moved, one of a job that has not.
  await db.query(`update jobs set model = 'sim-slow' where id = $1`, [last]);
  const { body } = await server().call('GET', '/api/v1/history', { key });
  expect((body['items'] as { id: string }[]).find(({ id }) => id === 'old')).toMatchObject({
    models: ['sim-instant', 'sim-slow'],
  });
  const months = await db.query('select runs_counted from usage_months where team_id = $1', [
    teamId,
  ]);
  // Once when it began, once when it was continued days later.
  expect(months.rows).toEqual([{ runs_counted: 4 }]);
});

it('jobs are archived in the background, batch after batch', async () => {
  const { db } = server();
  expect(() => loadConfig({ MILLRACE_ARCHIVE_AFTER_HOURS: '1' })).toThrow(
    'must be 0, or at least 2',
  );
  const owner = await newOwner();
  const clock = { now: () => Date.now(), sleep: () => delay(1) };
  const log = { info: () => undefined, warn: () => undefined };
  const deps = { db, clock, log, archiveAfterHours: 24 };
  const ids = await insertOldJobs(db, owner, { count: 450, at: daysAgo(2) });
  const archiving = startArchiving(deps);
  await waitUntil(async () => {
    const { rows } = await db.query('select 1 from jobs where id = any($1) limit 1', [ids]);
    return rows.length === 0;
  });
  await archiving.stop();
});

class RollBack extends Error {}

it('a page of a year is read by the index of each month, and a job from its own month alone', async () => {
  const { db } = server();
  const { teamId } = await newOwner();
  const columns = await listJobColumns(db);
  const explain = async (
    tx: { query: typeof db.query },
    text: string,
    values: readonly unknown[],
  ) => {
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, timing off) ${text}`,
      values,
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  const rolledBack = db.tx(async (tx) => {
    const ids: string[] = [];
    const held = { ...db, ...tx, tx: <T>(work: (each: typeof tx) => Promise<T>) => work(tx) };
    for (let month = 0; month < 12; month++) {
      const made = { count: 60, at: daysAgo(60 + 30 * month) };
      ids.push(...(await insertOldJobs(held, { userId: 'u', teamId }, made)));
    }
    const ageMs = 86_400_000;
    await moveEndedJobs(held, { columns, after: '', ageMs, limit: 5000, nowMs: Date.now() });
    // Months of this size would be read whole: what is asked here is whether there is an order to follow.
    await tx.query('set local enable_seqscan = off; set local enable_sort = off');
    const text = listJobsStatement({ from: '', below: '', limit: 51 });
    const page = await explain(tx, text, [teamId, 'job_', 'job_~']);
    expect(page).toContain('Merge Append');
    expect(page).not.toMatch(/Seq Scan|Sort Method|actual rows=\d{3}/);
    const one = await explain(tx, 'select 1 from archived_jobs where id = any($1)', [[ids[0]]]);
    expect(one.match(/archived_jobs_\d{4}_\d{2} /g)).toHaveLength(1);
    throw new RollBack();
  });
  await expect(rolledBack).rejects.toThrow(RollBack);
});
