// P1: durable submits a second, HTTP and all, beside two inserts in a transaction by the bare driver.
import { startChild } from '../harness/child.ts';
import { submitText } from '../harness/http-text.ts';
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
  for (const users of USERS) await submitRate(stage, 1, users);
  for (let round = 0; round < rounds; round++) {
    for (const [index, users] of USERS.entries()) {
      ours[index]!.push(await submitRate(stage, seconds, users));
    }
    const both = [];
    for (const child of floors) {
      both.push(await child.ask<number>({ inserts: { seconds, concurrency: 64 } }, 'perSecond'));
    }
    floor.push(Math.max(...both));
  }
  for (const child of floors) await child.stop();
  return USERS.map((users, index) => ({
    id: 'P1',
    what: `durable submits a second, 64 connections, ${usersText(users)}`,
    value: median(ours[index]!),
    unit: '/s',
    beside: { what: 'two inserts by bare pg', value: median(floor) },
    goal: { ratioAtLeast: 1.5 },
  }));
}
