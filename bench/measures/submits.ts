// P1: durable submits a second, HTTP and all, beside two inserts in a transaction by the bare driver.
import { startChild } from '../harness/child.ts';
import { submitText } from '../harness/http-text.ts';
import { cpuByProgram } from '../harness/process-cpu.ts';
import type { Stage } from '../harness/stage.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';

/** Submits of one user meet each other's locks; those of many do less. */
export const USERS = [1, 50];

export function usersText(users: number): string {
  return users === 1 ? 'one user' : `${users} users`;
}

/** So that the jobs of one round are not worked off during the next. */
export async function untilIdle(stage: Stage): Promise<void> {
  for (;;) {
    const { rows } = await stage.db.query<{ open: boolean }>(
      `select exists (select 1 from jobs where status = 'pending')
         or exists (select 1 from jobs where status = 'running') as open`,
    );
    if (rows[0]?.open === false) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export async function submitRate(stage: Stage, seconds: number, users = 1): Promise<number> {
  const requests = (await stage.keysOf(users)).map((key) => submitText(key));
  const result = await stage.load({ connections: 64, seconds, requests });
  if (result.failed > 0) throw new Error(`${result.failed} submits failed`);
  return result.perSecond;
}

interface Cost {
  count: number;
  program: number;
  database: number;
}

/** What `count` of something cost: the CPU of one process without the database below it, and that of the database. */
async function costing(
  stage: Stage,
  pid: number,
  work: () => Promise<{ perSecond: number; seconds: number }>,
): Promise<Cost> {
  const used = () => ({
    program: cpuByProgram([pid]).get('node') ?? 0,
    database: cpuByProgram([stage.server.process.pid!]).get('postgres') ?? 0,
  });
  const before = used();
  const { perSecond, seconds } = await work();
  const after = used();
  return {
    count: perSecond * seconds,
    program: after.program - before.program,
    database: after.database - before.database,
  };
}

/** Milliseconds for each. */
function eachOf(costs: readonly Cost[]): { text: string; ms: number } {
  const sum = (part: keyof Cost) => costs.reduce((total, cost) => total + cost[part], 0);
  const [program, database] = [sum('program') / sum('count'), sum('database') / sum('count')];
  return { text: `${program.toFixed(2)} + ${database.toFixed(2)} ms`, ms: program + database };
}

/** On a node of the role `api`: like the inserts beside it, it only submits. */
export async function measureSubmits(
  stage: Stage,
  rounds: number,
  seconds: number,
): Promise<Figure[]> {
  const env = { DATABASE_URL: stage.databaseUrl };
  const floors = [];
  for (const size of ['10', '32']) {
    const child = startChild('./floor-inserts.ts', { ...env, POOL: size });
    await child.waitFor('ready');
    floors.push(child);
  }
  const ours = USERS.map(() => [] as number[]);
  const floor: number[] = [];
  const costs = { ours: [] as Cost[], floor: [] as Cost[] };
  for (const users of USERS) await submitRate(stage, 1, users);
  for (let round = 0; round < rounds; round++) {
    for (const [index, users] of USERS.entries()) {
      const cost = await costing(stage, stage.server.process.pid!, async () => {
        const perSecond = await submitRate(stage, seconds, users);
        ours[index]!.push(perSecond);
        return { perSecond, seconds };
      });
      if (users === 1) costs.ours.push(cost);
    }
    const both: number[] = [];
    for (const child of floors) {
      const cost = await costing(stage, child.process.pid!, async () => {
        const asked = { inserts: { seconds, concurrency: 64 } };
        const perSecond = await child.ask<number>(asked, 'perSecond');
        both.push(perSecond);
        return { perSecond, seconds };
      });
      costs.floor.push(cost);
    }
    floor.push(Math.max(...both));
  }
  for (const child of floors) await child.stop();
  const rates: Figure[] = USERS.map((users, index) => ({
    id: 'P1',
    what: `durable submits a second, 64 connections, ${usersText(users)}`,
    value: median(ours[index]!),
    unit: '/s',
    beside: { what: 'two inserts by bare pg', value: median(floor) },
    goal: { ratioAtLeast: 1.5 },
  }));
  const [own, bare] = [eachOf(costs.ours), eachOf(costs.floor)];
  const cpu: Figure = {
    id: 'P1',
    what: `CPU of a submit: server + PostgreSQL ${own.text}`,
    value: own.ms,
    unit: 'ms',
    beside: { what: `bare pg + PostgreSQL ${bare.text}`, value: bare.ms },
  };
  return [...rates, cpu];
}
