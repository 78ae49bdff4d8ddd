// The points of the capacity model in docs/scaling.md: one, two and three workers, each time with something else that is
// short (slots, the CPU of workers, the CPU of the database), beside what the model says from the point of one worker.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sampleCpuPace } from '../../../bench/harness/cpu-pace.ts';
import { cpuByProgram } from '../../../bench/harness/process-cpu.ts';
import { watchStolenTime } from '../../../bench/harness/stolen-time.ts';
import { startEmbedded } from '../../../src/store/embedded/supervisor.ts';
import { openDb } from '../../../src/store/postgres/postgres.ts';
import type { Db } from '../../../src/store/postgres/db.ts';
import { createKeyIn } from '../../../test/support/chaos/accounts.ts';
import { startNode } from '../../../test/support/processes.ts';
import type { NodeProcess } from '../../../test/support/processes.ts';
import { holdTo, mayHold } from './hold-cpu.ts';
import type { HeldProcesses } from './hold-cpu.ts';
import { FIRST_PORT, FOLDER, ROOT } from './layout.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    workers: { type: 'string', default: '3' },
  },
});
const SECONDS = Number(values.seconds);
const WORKERS = Number(values.workers);
const url = `http://127.0.0.1:${FIRST_PORT + 1}`;
const PATIENT_SECONDS = 60;
const TRIES = 6;
const DISTURBED = 0.1;
const SETTLE_MS = 4000;
const COUNT_EVERY_MS = 500;
const CONNECTIONS = 64;
const WARM_JOBS = 3000;

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
  /** That each worker, or the database, is held to. */
  cores?: number;
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
  { name: 'CPU of the database: 0.3 core', short: 'database', cores: 0.3, ...AT_ONCE },
  { name: 'CPU of everything on this machine', short: 'everything', ...AT_ONCE },
];

/**
 * By the model, from what a job cost with one worker, and how fast the cores are now. It has nothing to say where all
 * share the same cores.
 */
function predicted(
  { short, cores = 0 }: Case,
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

async function feed(db: Db, key: string, { prompt, backlog }: Case, until: () => boolean) {
  const body = JSON.stringify({ streamId: 's', prompt, model: 'sim-instant', maxTokens: 50 });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const submit = async () => {
    const { status } = await fetch(`${url}/api/v1/execute`, { method: 'POST', headers, body });
    if (status !== 202) throw new Error(`a submit was answered ${status}`);
  };
  while (!until()) {
    // Seldom: counting is work of the database, too.
    const looked = pause(COUNT_EVERY_MS);
    let missing = backlog - (await count(db, "status = 'pending'"));
    const submitMissing = async () => {
      while (missing-- > 0 && !until()) await submit();
    };
    await Promise.all([looked, ...Array.from({ length: CONNECTIONS }, submitMissing)]);
  }
}

const database = await startEmbedded({ dataDir: join(FOLDER, 'measure') });
const settings = {
  DATABASE_URL: database.url,
  MILLRACE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
};
const db = openDb({ url: database.url, poolSize: 2, silenceMs: PATIENT_SECONDS * 1000 });
const api = await start('api', { ...settings, MILLRACE_PORT: String(FIRST_PORT + 1) });
const key = await createKeyIn(db);
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

function lineOf(
  number: number,
  { rate, cost, stolen, pace }: Point,
  model: number | undefined,
): string {
  const off =
    model === undefined
      ? ''
      : `, the model says ${model.toFixed(1)} (${(((model - rate) / rate) * 100).toFixed(0)} %)`;
  const costs = `CPU a job in ms: API ${cost.api.toFixed(2)}, workers ${cost.workers.toFixed(2)}, database ${cost.database.toFixed(2)}`;
  const beside = `load ${loadavg()[0]!.toFixed(1)}, stolen ${(stolen * 100).toFixed(0)} %, pace ${pace.toFixed(0)} ms`;
  return `  ${number} workers: ${rate.toFixed(1)} jobs/s${off}; ${costs} (${beside})`;
}

async function measureCase(one: Case): Promise<void> {
  console.log(one.name);
  let first: Point | undefined;
  for (let number = 1; number <= WORKERS; number++) {
    workers.push(await start('worker', { ...settings, MILLRACE_SLOTS: String(one.slots) }));
    const over = new AbortController();
    const feeding = feed(db, key, one, () => over.signal.aborted);
    const measuring = async () => {
      if (one.cores !== undefined) await warmUp();
      hold(one);
      await pause(SETTLE_MS);
      const point = await measureUndisturbed();
      first ??= point;
      console.log(lineOf(number, point, predicted(one, number, first, point.pace)));
    };
    try {
      // A submit that is refused ends the measuring, too.
      await Promise.race([measuring(), feeding]);
    } finally {
      over.abort();
      release();
      await feeding.catch(() => undefined);
    }
  }
  await endCase();
}

/** Code that is not compiled yet costs more: with a part of a core, that would take minutes to pass. */
async function warmUp(): Promise<void> {
  const before = await count(db, "status = 'completed'");
  while ((await count(db, "status = 'completed'")) < before + WARM_JOBS * workers.length) {
    await pause(200);
  }
}

function hold({ short, cores }: Case): void {
  if (cores === undefined) return;
  const scarce = short === 'workers' ? workers : [database];
  held.push(...scarce.map(({ pid }) => holdTo(pid, cores)));
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
  for (const one of CASES) {
    if (one.cores === undefined || mayHold()) await measureCase(one);
    else console.log(`${one.name}: left out, control groups need root`);
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
