import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { createKeyIn } from '../support/chaos/accounts.ts';
import {
  countJobs,
  findContradictions,
  untilAllEnded,
  untilTidy,
} from '../support/chaos/check-tables.ts';
import { useCleanup } from '../support/chaos/cleanup.ts';
import { createChaosClient, untilSeenRunning } from '../support/chaos/client.ts';
import { createHistory } from '../support/chaos/history.ts';
import type { Random } from '../support/chaos/random.ts';
import { createRandom } from '../support/chaos/random.ts';
import { createDataFolder, launchServer } from '../support/chaos/server-process.ts';
import type { ServerProcess } from '../support/chaos/server-process.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

// Each costs a start with recovery; CHAOS_KILLS=50 looks longer.
const CYCLES = Number(process.env['CHAOS_KILLS'] ?? 4);
/** The kills that must meet a running job and a waiting client, whatever the others meet. */
const SURE = 3;
const CLIENTS = 3;
const ANSWERS_A_CYCLE = 4;
const BURST = 3;
const cleanup = useCleanup();

function someJob(random: Random): Record<string, unknown> {
  return random.pick([
    { model: 'sim-instant', prompt: 'at once' },
    { model: 'sim-instant', prompt: `a while [[sim:delay ${random.between(20, 250)}]]` },
    { model: 'sim-fast', prompt: 'streamed [[sim:tokens 100]]' },
  ]);
}

test('what a server has promised holds when it is killed again and again, its database with it now and then', async () => {
  verifies('job.execute.idempotent', 'job.transition.forward', 'job.terminal.frozen');
  const random = createRandom();
  const history = createHistory();
  const folder = await createDataFolder();
  cleanup(() => folder.remove());

  let url: string | undefined;
  let server: ServerProcess;
  function start(): void {
    server = launchServer({ dataDir: folder.path });
    const { kill } = server;
    cleanup(() => kill('SIGKILL'));
  }
  async function kill(): Promise<void> {
    await server.kill('SIGKILL');
    url = undefined;
  }

  start();
  url = await server!.ready();
  const firstDb = openDb({ url: folder.databaseUrl(), poolSize: 1, silenceMs: PATIENT_MS });
  const apiKey = await createKeyIn(firstDb);
  await firstDb.close();
  const client = createChaosClient({ url: () => url, apiKey, history });

  let calm = false;
  async function work(name: string): Promise<void> {
    for (let count = 0; !calm; count += 1) {
      await client.submit(`${name}-${count}`, someJob(random));
      await client.look(random.pick(history.jobIds()));
      await delay(random.between(20, 120));
    }
  }

  // Submits that are under way when the server dies: some are stored, and nobody is told so.
  const bursts: Promise<unknown>[] = [];
  async function burst(cycle: number): Promise<void> {
    const keys = Array.from({ length: BURST }, (_, index) => `burst-${cycle}-${index}`);
    bursts.push(Promise.all(keys.map((key) => client.submit(key, someJob(random)))));
    await delay(random.between(1, 12));
  }

  // A job that runs longer than anything here, and somebody who waits for it.
  async function meetSomething(cycle: number): Promise<void> {
    const held = { model: 'sim-instant', prompt: 'long [[sim:delay 15000]]' };
    const jobId = await untilSeenRunning(client, `held-${cycle}`, held);
    bursts.push(client.wait(jobId));
  }

  async function killAgainAndAgain(): Promise<void> {
    for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
      if (cycle % SURE !== 0 && random.chance(0.15)) {
        // While it starts.
        await delay(random.between(100, 1000));
      } else {
        const before = history.jobIds().length;
        url = await server.ready();
        await waitUntil(() => history.jobIds().length >= before + ANSWERS_A_CYCLE, 'answers');
        await delay(random.chance(0.25) ? random.between(800, 1400) : random.between(0, 250));
        if (cycle % SURE === 0) await meetSomething(cycle);
        if (random.chance(0.7)) await burst(cycle);
      }
      await kill();
      if (cycle % 5 === 3) await folder.killDatabase();
      start();
    }
    url = await server.ready();
  }

  const clients = Array.from({ length: CLIENTS }, (_, index) => work(`client-${index}`));
  try {
    await Promise.all([killAgainAndAgain().finally(() => (calm = true)), ...clients]);
  } catch (error) {
    console.log(server!.output().slice(-5000));
    throw error;
  }
  await Promise.all(bursts);

  const db = openDb({ url: folder.databaseUrl(), poolSize: 1, silenceMs: PATIENT_MS });
  cleanup(() => db.close());
  await untilAllEnded(db);
  await untilTidy(db, 1);
  for (const jobId of history.jobIds()) await client.finished(jobId);

  expect(history.violations()).toEqual([]);
  expect(await findContradictions(db)).toEqual([]);
  const count = await countJobs(db);
  console.log(JSON.stringify({ ...count, ...history.counts }));
  // A job without an answer to its submit cannot be: every submit was repeated until it had one.
  expect(count.completed + count.workerLost).toBe(history.jobIds().length);
  // How many fail depends on the speed of the machine: a job must be lost three times for it.
  expect(count.completed).toBeGreaterThan(0);
  expect(count.losses).toBeGreaterThan(0);
  expect(history.counts.lost).toBeGreaterThan(0);
});
