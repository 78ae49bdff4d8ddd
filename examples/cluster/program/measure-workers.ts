// The points of the capacity model in docs/scaling.md: one, two and three workers, each with few slots and a slow model,
// then with many slots and a model that answers at once. CPU is that of the processes, so it holds on a busy machine, too.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuByProgram } from '../../../bench/harness/process-cpu.ts';
import { startEmbedded } from '../../../src/store/embedded/supervisor.ts';
import { openDb } from '../../../src/store/postgres/postgres.ts';
import type { Db } from '../../../src/store/postgres/db.ts';
import { createKeyIn } from '../../../test/support/chaos/accounts.ts';
import { startNode } from '../../../test/support/processes.ts';
import type { NodeProcess } from '../../../test/support/processes.ts';
import { FIRST_PORT, FOLDER, ROOT } from './layout.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } });
const SECONDS = Number(values.seconds);
const url = `http://127.0.0.1:${FIRST_PORT + 1}`;

const IDLE = 'nothing to do';
const CASES = [
  { name: IDLE, slots: 8, prompt: '', backlog: 0 },
  { name: '8 slots, 1 s a call', slots: 8, prompt: '[[sim:delay 1000]]', backlog: 60 },
  { name: '64 slots, no wait', slots: 64, prompt: 'x', backlog: 400 },
];

async function start(role: string, settings: Record<string, string>): Promise<NodeProcess> {
  const node = startNode(join(ROOT, 'src/main.ts'), ['serve', '--json', '--role', role], {
    env: { ...process.env, MILLRACE_PROCESSES: '1', MILLRACE_DRAIN_SECONDS: '0', ...settings },
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

/** Keeps so many jobs waiting that no slot is ever free. */
async function feed(db: Db, key: string, { prompt, backlog }: (typeof CASES)[number], until: () => boolean) {
  const body = JSON.stringify({ streamId: 's', prompt, model: 'sim-instant', maxTokens: 50 });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const submit = async () => {
    const { status } = await fetch(`${url}/api/v1/execute`, { method: 'POST', headers, body });
    if (status !== 202) throw new Error(`a submit was answered ${status}`);
  };
  while (!until()) {
    const missing = backlog - (await count(db, "status = 'pending'"));
    if (missing <= 0) await delay(20);
    else await Promise.all(Array.from({ length: Math.min(missing, 64) }, submit));
  }
}

const database = await startEmbedded({ dataDir: join(FOLDER, 'measure') });
const settings = {
  DATABASE_URL: database.url,
  MILLRACE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
};
const db = openDb({ url: database.url, poolSize: 2 });
const api = await start('api', { ...settings, MILLRACE_PORT: String(FIRST_PORT + 1) });
const key = await createKeyIn(db);
try {
  for (const one of CASES) {
    const workers: NodeProcess[] = [];
    for (const number of [1, 2, 3]) {
      workers.push(await start('worker', { ...settings, MILLRACE_SLOTS: String(one.slots) }));
      const cpu = () => ({
        api: sum(cpuByProgram([api.pid])),
        workers: sum(cpuByProgram(workers.map(({ pid }) => pid))),
        database: sum(cpuByProgram([database.pid])),
      });
      if (one.name === IDLE) {
        await delay(2000);
        const before = cpu();
        await delay(SECONDS * 1000);
        const used = (cpu().database - before.database) / SECONDS;
        console.log(`${one.name}: ${number} workers, CPU of the database ${used.toFixed(1)} ms a second`);
        continue;
      }
      let isOver = false;
      const feeding = feed(db, key, one, () => isOver);
      await delay(3000);
      const [began, before, ended] = [performance.now(), cpu(), await count(db, "status = 'completed'")];
      await delay(SECONDS * 1000);
      const after = cpu();
      const jobs = (await count(db, "status = 'completed'")) - ended;
      const seconds = (performance.now() - began) / 1000;
      isOver = true;
      await feeding;
      const each = (part: keyof typeof after) => ((after[part] - before[part]) / jobs).toFixed(2);
      const rate = (jobs / seconds).toFixed(1);
      console.log(
        `${one.name}: ${number} workers, ${rate} jobs/s, CPU a job in ms: API ${each('api')}, ` +
          `workers ${each('workers')}, database ${each('database')} (load ${loadavg()[0]?.toFixed(1)})`,
      );
    }
    await db.query("delete from jobs where status = 'pending'").catch(() => undefined);
    for (const worker of workers) await worker.kill('SIGTERM');
  }
} finally {
  await api.kill('SIGTERM');
  await db.close();
  await database.stop();
}

function sum(times: Map<string, number>): number {
  return [...times.values()].reduce((total, ms) => total + ms, 0);
}
process.exit(0);
