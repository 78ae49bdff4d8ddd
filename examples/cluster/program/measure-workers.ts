// One, two and three workers for each case of the capacity model, beside what the model says. All are measured in turns,
// round after round, because cores of a shared host change their speed; medians count.
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sampleCpuPace } from '../../../bench/harness/cpu-pace.ts';
import { median } from '../../../bench/report.ts';
import { watchStolenTime } from '../../../bench/harness/stolen-time.ts';
import { CASES, predict } from './capacity-cases.ts';
import type { Case, Point } from './capacity-cases.ts';
import { holdTo, mayHold, pinTo } from './hold-cpu.ts';
import { startMeasured } from './measured-cluster.ts';
import type { MeasuredCluster } from './measured-cluster.ts';
import { watchCore } from './watch-core.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    workers: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    teams: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
  },
});
const SECONDS = Number(values.seconds);
const WORKERS = Number(values.workers);
const ROUNDS = Number(values.rounds);
/** Jobs of one team wait for each other's sums. */
const TEAMS = Number(values.teams);
const TRIES = 6;
/** Where each try takes a minute. */
const LONG_TRIES = 2;
const DISTURBED = 0.1;
const SETTLE_MS = 4000;
const COUNT_EVERY_MS = 500;
/** Cores, as `taskset` names them; the first is the database's where it has one for itself. */
const OWN_CORE = 0;
const ALL = `0-${availableParallelism() - 1}`;
const REST = `1-${availableParallelism() - 1}`;

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());
const pause = (ms: number) => delay(ms, undefined, { signal: stopped.signal });

async function measure(cluster: MeasuredCluster): Promise<Point> {
  const stolenSince = watchStolenTime();
  const paceSince = sampleCpuPace();
  const coreSince = watchCore(OWN_CORE);
  const [began, before] = [performance.now(), cluster.cpu()];
  const ended = await cluster.count('completed');
  await pause(SECONDS * 1000);
  const after = cluster.cpu();
  const jobs = (await cluster.count('completed')) - ended;
  const seconds = (performance.now() - began) / 1000;
  const each = (part: keyof typeof after) => (after[part] - before[part]) / jobs;
  return {
    rate: jobs / seconds,
    stolen: stolenSince() ?? 0,
    pace: paceSince(),
    core: coreSince(),
    cost: { api: each('api'), workers: each('workers'), database: each('database') },
  };
}

/** Again while the host has other things to do; the least disturbed one counts. */
async function undisturbed(measureOnce: () => Promise<Point>, tries: number): Promise<Point> {
  const points: Point[] = [];
  do points.push(await measureOnce());
  while (points.length < tries && points.at(-1)!.stolen > DISTURBED);
  return points.reduce((best, point) => (point.stolen < best.stolen ? point : best));
}

async function feed(
  cluster: MeasuredCluster,
  { work, backlog }: Case,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    // Seldom: counting is work of the database, too.
    await Promise.all([pause(COUNT_EVERY_MS), cluster.fill(work, backlog, isOver)]);
  }
}

/** While jobs are submitted as fast as they end. */
async function measureFed(cluster: MeasuredCluster, one: Case): Promise<Point> {
  const over = new AbortController();
  const feeding = feed(cluster, one, () => over.signal.aborted);
  const measuring = async () => {
    await cluster.untilEnded(one.warmJobs);
    const { workerCores } = one;
    const held =
      workerCores === undefined ? [] : cluster.workerPids().map((pid) => holdTo(pid, workerCores));
    try {
      await pause(SETTLE_MS);
      return await undisturbed(() => measure(cluster), TRIES);
    } finally {
      held.forEach((processes) => processes.release());
    }
  };
  try {
    // A submit that is refused ends the measuring, too.
    return (await Promise.race([measuring(), feeding]))!;
  } finally {
    over.abort();
    await feeding.catch(() => undefined);
  }
}

/** With jobs that were submitted before, and a core that the database has for itself. */
async function measureApart(cluster: MeasuredCluster, one: Case): Promise<Point> {
  // All are below this process, the database too: it comes last.
  pinTo([process.pid], REST);
  pinTo([cluster.databasePid], String(OWN_CORE));
  try {
    await cluster.untilEnded(one.warmJobs);
    await pause(SETTLE_MS);
    const point = await measure(cluster);
    if ((await cluster.count('pending')) === 0) throw new Error('too few jobs waited');
    return point;
  } finally {
    pinTo([process.pid], ALL);
  }
}

async function measureNew(one: Case, workers: number): Promise<Point> {
  const cluster = await startMeasured(TEAMS);
  try {
    const isOver = () => stopped.signal.aborted;
    if (one.isApart) await cluster.fill(one.work, one.backlog, isOver);
    await cluster.startWorkers(one.slots, workers);
    return await (one.isApart ? measureApart : measureFed)(cluster, one);
  } finally {
    await cluster.close();
  }
}

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;

function lineOf(
  { isApart }: Case,
  workers: number,
  points: readonly Point[],
  model: number | undefined,
): string {
  const { rate, cost, pace, core } = middleOf(points);
  const off =
    model === undefined
      ? ''
      : `, the model says ${model.toFixed(1)} (${percent((model - rate) / rate)})`;
  const costs = `CPU a job in ms: API ${cost.api.toFixed(2)}, workers ${cost.workers.toFixed(2)}, database ${cost.database.toFixed(2)}`;
  const rates = points.map((point) => point.rate.toFixed(0)).join(', ');
  const stolen = percent(Math.max(...points.map((point) => point.stolen)));
  const ofCore = `; core of the database idle ${percent(core.idle)}, stolen ${percent(core.stolen)}`;
  return `  ${workers} workers: ${rate.toFixed(1)} jobs/s${off}; ${costs}${isApart ? ofCore : ''} (of ${rates}; stolen up to ${stolen}, pace ${pace.toFixed(0)} ms)`;
}

/** Each figure by itself. */
function middleOf(points: readonly Point[]): Point {
  const of = (pick: (point: Point) => number) => median(points.map(pick));
  return {
    rate: of(({ rate }) => rate),
    stolen: of(({ stolen }) => stolen),
    pace: of(({ pace }) => pace),
    core: { idle: of(({ core }) => core.idle), stolen: of(({ core }) => core.stolen) },
    cost: {
      api: of(({ cost }) => cost.api),
      workers: of(({ cost }) => cost.workers),
      database: of(({ cost }) => cost.database),
    },
  };
}

async function measureCase(one: Case): Promise<void> {
  console.log(one.name);
  const points = Array.from({ length: WORKERS }, () => [] as Point[]);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, ofNumber] of points.entries()) {
      const measureOnce = () => measureNew(one, index + 1);
      ofNumber.push(await undisturbed(measureOnce, one.isApart ? LONG_TRIES : 1));
    }
  }
  const first = middleOf(points[0]!);
  for (const [index, ofNumber] of points.entries()) {
    const model = predict(one, index + 1, first, middleOf(ofNumber));
    console.log(lineOf(one, index + 1, ofNumber, model));
  }
}

/** Why a case cannot be measured here. */
function obstacle({ workerCores, isApart }: Case): string | undefined {
  if (workerCores !== undefined && !mayHold()) return 'control groups need root';
  if (isApart && availableParallelism() < 2) return 'there is only one core';
  return undefined;
}

try {
  for (const one of CASES.filter(({ id }) => id.startsWith(values.only))) {
    const why = obstacle(one);
    if (why === undefined) await measureCase(one);
    else console.log(`${one.name}: left out, ${why}`);
  }
} catch (error) {
  if (!stopped.signal.aborted) throw error;
}
process.exit(0);
