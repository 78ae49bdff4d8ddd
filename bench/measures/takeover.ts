// P8: from the death of a worker to its jobs running elsewhere.
import { now } from '../harness/clock.ts';
import type { Stage } from '../harness/stage.ts';
import type { Figure } from '../report.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const JOBS = 40;

async function runningOn(
  stage: Stage,
  nodeCount: boolean,
): Promise<{ node_id: string; n: number }[]> {
  const { rows } = await stage.db.query<{ node_id: string; n: number }>(
    `select node_id, count(*) as n from jobs
     where status = 'running' and stream_id like 'takeover-%' group by node_id`,
  );
  return nodeCount ? rows : rows.slice(0, 1);
}

/** `stage` must be of the role api: the jobs must run on the two workers only. */
export async function measureTakeover(stage: Stage): Promise<Figure[]> {
  const env = { MILLRACE_SLOTS: '200' };
  const doomed = await stage.addNode('worker', env);
  for (let i = 0; i < JOBS; i++) {
    await stage.call('POST', '/api/v1/execute', {
      streamId: `takeover-${i}`,
      prompt: '[[sim:delay 12000]] [[sim:tokens 10]]',
      model: 'sim-instant',
      maxTokens: 100,
    });
  }
  while ((await runningOn(stage, true)).reduce((sum, row) => sum + row.n, 0) < JOBS)
    await pause(50);
  await stage.addNode('worker', env);
  await pause(2000);
  const [victim] = await runningOn(stage, false);
  const killedAt = now();
  doomed.process.kill('SIGKILL');
  for (;;) {
    const rows = await runningOn(stage, true);
    const elsewhere = rows.filter((row) => row.node_id !== victim?.node_id);
    if (elsewhere.reduce((sum, row) => sum + row.n, 0) >= JOBS) break;
    await pause(20);
  }
  const tookMs = now() - killedAt;
  for (;;) {
    const { rows } = await stage.db.query<{ ended: number }>(
      `select count(*) as ended from jobs where stream_id like 'takeover-%' and status = 'completed'`,
    );
    if (rows[0]?.ended === JOBS) break;
    await pause(100);
  }
  const { rows } = await stage.db.query<{ n: number }>(
    `select count(*) as n from usage_ledger l join jobs j on j.id = l.job_id
     where j.stream_id like 'takeover-%' and l.outcome = 'completed'`,
  );
  return [
    {
      id: 'P8',
      what: `kill -9 of a worker to its ${JOBS} jobs running elsewhere`,
      value: tookMs / 1000,
      unit: 's',
      goal: { atMost: 5 },
    },
    {
      id: 'P8',
      what: 'of these, lost or finished twice',
      value: Math.abs((rows[0]?.n ?? 0) - JOBS),
      unit: 'jobs',
      goal: { atMost: 0 },
    },
  ];
}
