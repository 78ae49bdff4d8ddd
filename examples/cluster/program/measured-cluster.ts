// A database, an API node and workers that are measured: new each time, so that no figure depends on what was measured
// before it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuByProgram } from '../../../bench/harness/process-cpu.ts';
import { startEmbedded } from '../../../src/store/embedded/supervisor.ts';
import { openDb } from '../../../src/store/postgres/postgres.ts';
import { createKeyIn } from '../../../test/support/chaos/accounts.ts';
import { startNode } from '../../../test/support/processes.ts';
import type { NodeProcess } from '../../../test/support/processes.ts';
import type { Work } from './capacity-cases.ts';
import { FIRST_PORT, FOLDER, ROOT } from './layout.ts';

const PATIENT_SECONDS = 60;
const CONNECTIONS = 64;
const PORT = FIRST_PORT + 1;

/** Milliseconds of CPU. */
export interface CpuByPart {
  api: number;
  workers: number;
  database: number;
}

export interface MeasuredCluster {
  databasePid: number;
  workerPids(): number[];
  startWorkers(slots: number, number: number): Promise<void>;
  count(status: 'pending' | 'completed'): Promise<number>;
  /** Until this many more jobs have ended for each worker. */
  untilEnded(jobs: number): Promise<void>;
  /** Submits until as many jobs wait. */
  fill(work: Work, backlog: number, isOver: () => boolean): Promise<void>;
  cpu(): CpuByPart;
  close(): Promise<void>;
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

function cpuOf(pids: readonly number[]): number {
  return [...cpuByProgram(pids).values()].reduce((total, ms) => total + ms, 0);
}

async function submit(apiKey: string, { model, prompt, maxTokens }: Work): Promise<void> {
  const { status } = await fetch(`http://127.0.0.1:${PORT}/api/v1/execute`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ streamId: 's', prompt, model, maxTokens }),
  });
  if (status !== 202) throw new Error(`a submit was answered ${status}`);
}

export async function startMeasured(teams: number): Promise<MeasuredCluster> {
  const dataDir = join(FOLDER, 'measure');
  rmSync(dataDir, { recursive: true, force: true });
  const database = await startEmbedded({ dataDir });
  const settings = {
    DATABASE_URL: database.url,
    MILLRACE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const db = openDb({ url: database.url, poolSize: 2, silenceMs: PATIENT_SECONDS * 1000 });
  const api = await start('api', { ...settings, MILLRACE_PORT: String(PORT) });
  const keys: string[] = [];
  while (keys.length < teams) keys.push(await createKeyIn(db));
  const workers: NodeProcess[] = [];
  const workerPids = () => workers.map(({ pid }) => pid);

  async function count(status: string): Promise<number> {
    const { rows } = await db.query<{ count: number }>(
      'select count(*) as count from jobs where status = $1',
      [status],
    );
    return rows[0]!.count;
  }

  return {
    databasePid: database.pid,
    workerPids,
    count,
    async startWorkers(slots, number) {
      while (workers.length < number) {
        workers.push(await start('worker', { ...settings, MILLRACE_SLOTS: String(slots) }));
      }
    },
    async untilEnded(jobs) {
      const before = await count('completed');
      while ((await count('completed')) < before + jobs * workers.length) await delay(200);
    },
    async fill(work, backlog, isOver) {
      let missing = backlog - (await count('pending'));
      const submitMissing = async () => {
        while (missing-- > 0 && !isOver()) await submit(keys[missing % teams]!, work);
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, submitMissing));
    },
    cpu: () => ({
      api: cpuOf([api.pid]),
      workers: cpuOf(workerPids()),
      database: cpuOf([database.pid]),
    }),
    async close() {
      await Promise.all([...workers, api].map((node) => node.kill('SIGTERM')));
      await db.close();
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
