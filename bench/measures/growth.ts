// P9: the same rates with a year of ended jobs in the tables.
import { listPartitions } from '../../src/store/jobs/archive-partitions.ts';
import { getText } from '../harness/http-text.ts';
import type { Stage } from '../harness/stage.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';
import { fillDays, fillToday, fillYear } from './fill-year.ts';
import { cancelAll, pollRate, runningJobs } from './polls.ts';
import { submitRate, untilIdle } from './submits.ts';

const PAGES = {
  history: '/api/v1/history',
  'job lists': '/api/v1/jobs',
  'usage of a month': '/v1/usage/current',
};

/** Where jobs of the past are: those of the newest month are in memory, as far as they fit. */
const PAST = {
  'jobs of the last month': (newest: string) => `select id from ${newest}`,
  'jobs of the year': () => 'select id from archived_jobs tablesample bernoulli (2)',
};

type Name = 'submits' | 'polls' | keyof typeof PAGES | keyof typeof PAST;

/** More than are asked for in a round: one that was asked for before comes from memory. */
const PAST_A_ROUND = 15_000;

async function rateOf(stage: Stage, paths: readonly string[], seconds: number): Promise<number> {
  const requests = paths.map((path) => getText(path, stage.key));
  const result = await stage.load({ connections: 16, seconds, requests });
  if (result.failed > 0) throw new Error(`${result.failed} requests failed, as ${paths[0]}`);
  return result.perSecond;
}

/** In no order. */
async function listIds(stage: Stage, text: string): Promise<string[]> {
  const { rows } = await stage.db.query<{ id: string }>(text);
  const shuffled = rows.map(({ id }) => ({ id, at: Math.random() })).sort((a, b) => a.at - b.at);
  return shuffled.map(({ id }) => id);
}

/** For each round and each kind, paths that nobody has asked for. Without a past they are those of today. */
async function listPast(stage: Stage, rounds: number, isFull: boolean): Promise<PastPaths> {
  const names = Object.keys(PAST) as (keyof typeof PAST)[];
  const today = await listIds(stage, `select id from jobs where status = 'completed'`);
  const newest = (await listPartitions(stage.db)).at(-1) ?? '';
  const past = new Map<keyof typeof PAST, string[][]>();
  for (const name of names) {
    const own = Math.floor(today.length / names.length);
    const ids = isFull ? await listIds(stage, PAST[name](newest)) : today.splice(0, own);
    const size = Math.min(PAST_A_ROUND, Math.floor(ids.length / rounds));
    past.set(
      name,
      Array.from({ length: rounds }, (_, i) =>
        ids.slice(i * size, (i + 1) * size).map((id) => `/api/v1/job/${id}`),
      ),
    );
  }
  return past;
}

type PastPaths = Map<keyof typeof PAST, string[][]>;

interface Side {
  stage: Stage;
  past: PastPaths;
  running: string[];
  rates: Map<Name, number[]>;
}

async function submitRound({ stage, rates }: Side, seconds: number, isWarm: boolean) {
  const rate = await submitRate(stage, seconds);
  await untilIdle(stage);
  if (isWarm) rates.set('submits', [...(rates.get('submits') ?? []), rate]);
}

async function readRound(side: Side, seconds: number, isWarm: boolean): Promise<void> {
  const { stage, rates } = side;
  const add = (name: Name, rate: number) => {
    if (isWarm) rates.set(name, [...(rates.get(name) ?? []), rate]);
  };
  const length = isWarm ? seconds : 1;
  add('polls', await pollRate(stage, side.running, length));
  for (const [name, path] of Object.entries(PAGES) as [keyof typeof PAGES, string][]) {
    add(name, await rateOf(stage, [path], length));
  }
  for (const [name, rounds] of side.past) add(name, await rateOf(stage, rounds.pop()!, length));
}

/** One round here, one there: whatever else the machine does hits both. */
export async function measureGrowth(
  stages: { empty: Stage; full: Stage },
  { rounds, seconds, jobs }: { rounds: number; seconds: number; jobs: number },
): Promise<Figure[]> {
  await fillYear(stages.full, jobs);
  await fillDays(stages.empty);
  const sideOf = (stage: Stage): Side => ({
    stage,
    past: new Map(),
    running: [],
    rates: new Map(),
  });
  const [empty, full] = [sideOf(stages.empty), sideOf(stages.full)];
  const sides = [empty, full];
  for (let round = 0; round <= rounds; round++) {
    for (const side of sides) await submitRound(side, seconds, round > 0);
  }
  for (const side of sides) {
    await fillToday(side.stage, PAST_A_ROUND * (rounds + 1) * Object.keys(PAST).length);
    side.past = await listPast(side.stage, rounds + 1, side === full);
    side.running = await runningJobs(side.stage, 100);
  }
  for (let round = 0; round <= rounds; round++) {
    for (const side of sides) await readRound(side, seconds, round > 0);
  }
  for (const side of sides) await cancelAll(side.stage, side.running);
  return [...full.rates].map(([name, values]) => ({
    id: 'P9',
    what: `${name} a second with ${jobs.toLocaleString('en-US')} ended jobs`,
    value: median(values),
    unit: '/s',
    beside: { what: 'with empty tables', value: median(empty.rates.get(name)!) },
    goal: { ratioAtLeast: 0.8 },
  }));
}
