// Clients of a cluster, and a verdict in the end: what failed, what was lost, what was done twice.
import { setTimeout as delay } from 'node:timers/promises';
import { openDb } from '../../../src/store/postgres/postgres.ts';
import { createKeyIn } from '../../../test/support/chaos/accounts.ts';
import { findContradictions, untilAllEnded } from '../../../test/support/chaos/check-tables.ts';
import { createChaosClient } from '../../../test/support/chaos/client.ts';
import { createHistory } from '../../../test/support/chaos/history.ts';
import type { ClusterState } from './layout.ts';

const CLIENTS = 6;
const PACES = ['', '[[sim:delay 300]]', '[[sim:tokens 100]]', '[[sim:delay 1500]]'];

/** What the clients ask for. */
export interface Work {
  model: string;
  promptOf(key: string, count: number): string;
  /** Of a client between two jobs. */
  pauseMs: number;
}

const SIMULATED: Work = {
  model: 'sim-fast',
  promptOf: (_, count) => `job ${count} ${PACES[count % PACES.length]}`,
  pauseMs: 30,
};

export interface Verdict {
  acknowledged: number;
  completed: number;
  requests: number;
  /** Requests that got no answer, or one that says "not now". */
  failedRequests: number;
  lostJobs: string[];
  /** Attempts of jobs beyond their first: each may have been paid for once more. */
  repeated: number;
  /** Jobs that ended twice, and whatever else must not be. */
  contradictions: string[];
  /** The longest time without a job that was accepted. */
  longestGapMs: number;
}

export interface Load {
  /** Until a job is accepted that was not asked for before. */
  nextAccepted(): Promise<void>;
  /** The longest time without a job that was accepted, since this was last asked. */
  takeGapMs(): number;
  stop(): Promise<Verdict>;
}

export async function startLoad(
  { balancerUrl, databaseUrl }: ClusterState,
  { model, promptOf, pauseMs }: Work = SIMULATED,
): Promise<Load> {
  // The database may be that of an earlier run, which knows its keys for a day.
  const run = Date.now().toString(36);
  const db = openDb({ url: databaseUrl, poolSize: 2 });
  const apiKey = await createKeyIn(db);
  const history = createHistory();
  const client = createChaosClient({ url: () => balancerUrl, apiKey, history });
  let isOver = false;
  let acceptedAt = performance.now();
  let longestGapMs = 0;
  let gapMs = 0;

  async function work(name: number): Promise<void> {
    for (let count = 0; !isOver; count++) {
      const key = `${run}-${name}-${count}`;
      const jobId = await client.submit(key, { model, prompt: promptOf(key, count) });
      gapMs = Math.max(gapMs, performance.now() - acceptedAt);
      longestGapMs = Math.max(longestGapMs, gapMs);
      acceptedAt = performance.now();
      if (count % 3 === 0) await client.wait(jobId);
      else await client.look(jobId);
      await delay(pauseMs);
    }
  }

  const working = Promise.all(Array.from({ length: CLIENTS }, (_, index) => work(index)));
  // Looked at in the end.
  working.catch(() => {});
  return {
    async nextAccepted() {
      const before = acceptedAt;
      while (acceptedAt === before) await delay(20);
    },
    takeGapMs() {
      const longest = Math.max(gapMs, performance.now() - acceptedAt);
      gapMs = 0;
      return longest;
    },
    async stop() {
      isOver = true;
      await working;
      await untilAllEnded(db);
      const { lost, unavailable, looks } = history.counts;
      const acknowledged = history.jobIds();
      for (const jobId of acknowledged) await client.look(jobId);
      const { rows } = await db.query<{ id: string; attempt: number; status: string }>(
        'select id, attempt, status from jobs where id = any($1)',
        [acknowledged],
      );
      const there = new Set(rows.map(({ id }) => id));
      const contradictions = [...history.violations(), ...(await findContradictions(db))];
      await db.close();
      return {
        acknowledged: acknowledged.length,
        completed: rows.filter(({ status }) => status === 'completed').length,
        requests: acknowledged.length + looks + lost + unavailable,
        failedRequests: lost + unavailable,
        repeated: rows.reduce((sum, { attempt }) => sum + Math.max(0, attempt - 1), 0),
        lostJobs: acknowledged.filter((id) => !there.has(id)),
        contradictions,
        longestGapMs,
      };
    },
  };
}

/** Whether everything held. */
export function report(verdict: Verdict): boolean {
  const { acknowledged, requests, failedRequests, lostJobs, contradictions } = verdict;
  console.log(`  requests              ${requests}`);
  console.log(`  failed requests       ${failedRequests}`);
  console.log(`  acknowledged jobs     ${acknowledged}`);
  console.log(`  completed jobs        ${verdict.completed}`);
  console.log(`  lost jobs             ${lostJobs.length}`);
  console.log(`  repeated attempts     ${verdict.repeated}`);
  console.log(`  doubled or wrong      ${contradictions.length}`);
  console.log(`  longest gap           ${(verdict.longestGapMs / 1000).toFixed(1)} s between accepted jobs`);
  for (const what of [...lostJobs, ...contradictions].slice(0, 20)) console.log(`    ${what}`);
  return lostJobs.length === 0 && contradictions.length === 0;
}
