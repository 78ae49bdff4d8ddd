// The points of the capacity model in docs/scaling.md: one, two and three workers, each time with something else that is
// short (slots, the CPU of workers, the CPU of the database), beside what the model says from the point of one worker.
// All points are measured in turns, round after round, because cores of a shared host change their speed; medians count.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sampleCpuPace } from '../../../bench/harness/cpu-pace.ts';
import { median } from '../../../bench/report.ts';
import { cpuByProgram } from '../../../bench/harness/process-cpu.ts';
import { watchStolenTime } from '../../../bench/harness/stolen-time.ts';
import { startEmbedded } from '../../../src/store/embedded/supervisor.ts';
import { openDb } from '../../../src/store/postgres/postgres.ts';
import type { Db } from '../../../src/store/postgres/db.ts';
import { createKeyIn } from '../../../test/support/chaos/accounts.ts';
import { startNode } from '../../../test/support/processes.ts';
import type { NodeProcess } from '../../../test/support/processes.ts';
import { holdTo, mayHold, pinTo } from './hold-cpu.ts';
import type { HeldProcesses } from './hold-cpu.ts';
import { FIRST_PORT, FOLDER, ROOT } from './layout.ts';

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
const url = `http://127.0.0.1:${FIRST_PORT + 1}`;
const PATIENT_SECONDS = 60;
const TRIES = 6;
const DISTURBED = 0.1;
const SETTLE_MS = 4000;
const COUNT_EVERY_MS = 500;
const CONNECTIONS = 64;
const WARM_JOBS = 3000;
/** Cores, as `taskset` names them. */
const ALL = `0-${availableParallelism() - 1}`;
const REST = `1-${availableParallelism() - 1}`;

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());
const pause = (ms: number) => delay(ms, undefined, { signal: stopped.signal });

interface Case {
  name: string;
  slots: number;
  prompt: string;
  /** Jobs that are kept waiting, so that no slot is ever free. */
  backlog: number;
  short: 'slots' | 'workers' | 'database' | 'everything';
  /** That each worker is held to. */
  cores?: number;
  /** The database has a core for itself, all else the others; nothing is submitted while it is measured. */
  isApart?: boolean;
}

interface Point {
  rate: number;
  /** Share of the CPU that the host gave to other machines meanwhile. */
  stolen: number;
  /** CPU time of a fixed piece of work at the time: cores of a shared host change their speed. */
  pace: number;
  /** Milliseconds of CPU. */
  cost: { api: number; workers: number; database: number };
}

const AT_ONCE = { slots: 64, prompt: 'x', backlog: 1500 };
const CASES: Case[] = [
  {
    name: 'slots: 8 each, 1 s a call',
    short: 'slots',
    slots: 8,
    prompt: '[[sim:delay 1000]]',
    backlog: 60,
  },
  { name: 'CPU of workers: 0.1 core each', short: 'workers', cores: 0.1, ...AT_ONCE },
  {
    name: 'CPU of the database: one core, jobs submitted before',
    short: 'database',
    ...AT_ONCE,
    isApart: true,
    backlog: 25_000,
  },
  { name: 'CPU of everything on this machine', short: 'everything', ...AT_ONCE },
];

/**
 * By the model, from what a job cost with one worker, and how fast the cores are now. It has nothing to say where all
 * share the same cores.
 */
function predicted(
  { short, cores = 1 }: Case,
  workers: number,
  one: Point,
  pace: number,
): number | undefined {
  const cpuMs = (cores * 1000 * one.pace) / pace;
  switch (short) {
    case 'slots':
      return workers * one.rate;
    case 'workers':
      return (workers * cpuMs) / one.cost.workers;
    case 'database':
      return cpuMs / one.cost.database;
    case 'everything':
      return undefined;
  }
}

async function start(role: string, settings: Record<string, string>): Promise<NodeProcess> {
  const node = startNode(join(ROOT, 'src/main.ts'), ['serve', '--json', '--role', role], {
    env: {
      ...process.env,
      MILLRACE_PROCESSES: '1',
      MILLRACE_DRAIN_SECONDS: '0',
      // What is held to a part of a core is slow, not gone.
      MILLRACE_DATABASE_SILENCE_SECONDS: String(PATIENT_SECONDS),
      ...settings,
    },
  });
  await node.waitFor(/"ready":true/);
  return node;
}

async function count(db: Db, condition: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from jobs where ${condition}`,
  );
  return rows[0]!.count;
}

function submitter({ prompt }: Case): () => Promise<void> {
  const body = JSON.stringify({ streamId: 's', prompt, model: 'sim-instant', maxTokens: 50 });
  let next = 0;
  return async () => {
    const headers = { 'x-api-key': keys[next++ % TEAMS]!, 'content-type': 'application/json' };
    const { status } = await fetch(`${url}/api/v1/execute`, { method: 'POST', headers, body });
    if (status !== 202) throw new Error(`a submit was answered ${status}`);
  };
}

/** Until as many jobs wait as the case asks for. */
async function fill(one: Case, isOver = () => stopped.signal.aborted): Promise<void> {
  const submit = submitter(one);
  let missing = one.backlog - (await count(db, "status = 'pending'"));
  const submitMissing = async () => {
    while (missing-- > 0 && !isOver()) await submit();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, submitMissing));
}

async function feed(one: Case, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    // Seldom: counting is work of the database, too.
    await Promise.all([pause(COUNT_EVERY_MS), fill(one, isOver)]);
  }
}

const database = await startEmbedded({ dataDir: join(FOLDER, 'measure') });
const settings = {
  DATABASE_URL: database.url,
  MILLRACE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
};
const db = openDb({ url: database.url, poolSize: 2, silenceMs: PATIENT_SECONDS * 1000 });
const api = await start('api', { ...settings, MILLRACE_PORT: String(FIRST_PORT + 1) });
const keys: string[] = [];
while (keys.length < TEAMS) keys.push(await createKeyIn(db));
const workers: NodeProcess[] = [];
const held: HeldProcesses[] = [];

const sum = (times: Map<string, number>) =>
  [...times.values()].reduce((total, ms) => total + ms, 0);
const used = () => ({
  api: sum(cpuByProgram([api.pid])),
  workers: sum(cpuByProgram(workers.map(({ pid }) => pid))),
  database: sum(cpuByProgram([database.pid])),
});

async function measure(): Promise<Point> {
  const stolenSince = watchStolenTime();
  const paceSince = sampleCpuPace();
  const [began, before, ended] = [
    performance.now(),
    used(),
    await count(db, "status = 'completed'"),
  ];
  await pause(SECONDS * 1000);
  const after = used();
  const jobs = (await count(db, "status = 'completed'")) - ended;
  const seconds = (performance.now() - began) / 1000;
  const each = (part: keyof typeof after) => (after[part] - before[part]) / jobs;
  return {
    rate: jobs / seconds,
    stolen: stolenSince() ?? 0,
    pace: paceSince(),
    cost: { api: each('api'), workers: each('workers'), database: each('database') },
  };
}

/** Again while the host has other things to do; the least disturbed one counts. */
async function measureUndisturbed(): Promise<Point> {
  let best: Point | undefined;
  for (let tries = 0; tries < TRIES && (best?.stolen ?? 1) > DISTURBED; tries++) {
    const point = await measure();
    if (best === undefined || point.stolen < best.stolen) best = point;
  }
  return best!;
}

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;

function lineOf(number: number, points: readonly Point[], model: number | undefined): string {
  const { rate, cost, pace } = middleOf(points);
  const off =
    model === undefined
      ? ''
      : `, the model says ${model.toFixed(1)} (${percent((model - rate) / rate)})`;
  const costs = `CPU a job in ms: API ${cost.api.toFixed(2)}, workers ${cost.workers.toFixed(2)}, database ${cost.database.toFixed(2)}`;
  const rates = points.map((point) => point.rate.toFixed(0)).join(', ');
  const stolen = percent(Math.max(...points.map((point) => point.stolen)));
  return `  ${number} workers: ${rate.toFixed(1)} jobs/s${off}; ${costs} (of ${rates}; stolen up to ${stolen}, pace ${pace.toFixed(0)} ms)`;
}

/** Each figure by itself. */
function middleOf(points: readonly Point[]): Point {
  const of = (pick: (point: Point) => number) => median(points.map(pick));
  return {
    rate: of(({ rate }) => rate),
    stolen: of(({ stolen }) => stolen),
    pace: of(({ pace }) => pace),
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
      ofNumber.push(await (one.isApart ? measureApart : measureFed)(one, index + 1));
    }
    await endCase();
  }
  const first = middleOf(points[0]!);
  for (const [index, ofNumber] of points.entries()) {
    const model = predicted(one, index + 1, first, middleOf(ofNumber).pace);
    console.log(lineOf(index + 1, ofNumber, model));
  }
}

async function startWorkers({ slots }: Case, number: number): Promise<void> {
  while (workers.length < number) {
    workers.push(await start('worker', { ...settings, MILLRACE_SLOTS: String(slots) }));
  }
}

async function measureFed(one: Case, number: number): Promise<Point> {
  await startWorkers(one, number);
  const over = new AbortController();
  const feeding = feed(one, () => over.signal.aborted);
  const measuring = async () => {
    if (one.cores !== undefined) {
      await warmUp();
      held.push(...workers.map(({ pid }) => holdTo(pid, one.cores!)));
    }
    await pause(SETTLE_MS);
    return measureUndisturbed();
  };
  try {
    // A submit that is refused ends the measuring, too.
    return (await Promise.race([measuring(), feeding]))!;
  } finally {
    over.abort();
    release();
    await feeding.catch(() => undefined);
  }
}

async function measureApart(one: Case, number: number): Promise<Point> {
  await endCase();
  await fill(one);
  await startWorkers(one, number);
  // All are below this process, the database too: it comes last.
  pinTo([process.pid], REST);
  pinTo([database.pid], '0');
  try {
    await pause(SETTLE_MS);
    const point = await measure();
    if ((await count(db, "status = 'pending'")) === 0) throw new Error('too few jobs waited');
    return point;
  } finally {
    pinTo([process.pid], ALL);
  }
}

/** Code that is not compiled yet costs more: with a part of a core, that would take minutes to pass. */
async function warmUp(): Promise<void> {
  const before = await count(db, "status = 'completed'");
  while ((await count(db, "status = 'completed'")) < before + WARM_JOBS * workers.length) {
    await pause(200);
  }
}

function release(): void {
  for (const processes of held.splice(0)) processes.release();
}

async function endCase(): Promise<void> {
  release();
  await db.query("delete from jobs where status = 'pending'").catch(() => undefined);
  await Promise.all(workers.splice(0).map((worker) => worker.kill('SIGTERM')));
}

try {
  const idle = used();
  await pause(SECONDS * 1000);
  console.log(
    `nothing to do: the database uses ${((used().database - idle.database) / SECONDS).toFixed(1)} ms of CPU a second for an API node`,
  );
  for (const one of CASES.filter(({ short }) => short.startsWith(values.only))) {
    if (one.cores !== undefined && !mayHold()) {
      console.log(`${one.name}: left out, control groups need root`);
    } else if (one.isApart && availableParallelism() < 2) {
      console.log(`${one.name}: left out, there is only one core`);
    } else await measureCase(one);
  }
} catch (error) {
  if (!stopped.signal.aborted) throw error;
} finally {
  await endCase();
  await api.kill('SIGTERM');
  await db.close();
  await database.stop();
}
process.exit(0);
