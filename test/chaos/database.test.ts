import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { createKeyIn } from '../support/chaos/accounts.ts';
import { countJobs, findContradictions, untilAllEnded } from '../support/chaos/check-tables.ts';
import { useCleanup } from '../support/chaos/cleanup.ts';
import { createChaosClient } from '../support/chaos/client.ts';
import { createHistory } from '../support/chaos/history.ts';
import { createRandom } from '../support/chaos/random.ts';
import { createDataFolder, launchServer } from '../support/chaos/server-process.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

const CRASHES = 3;
const CLIENTS = 4;
const cleanup = useCleanup();

test('a server outlives crashes of its database, says so meanwhile, and loses no job', async () => {
  verifies('http.error.unavailable-retry-after', 'http.readyz');
  const random = createRandom();
  const history = createHistory();
  const folder = await createDataFolder();
  cleanup(() => folder.remove());
  const server = launchServer({ dataDir: folder.path });
  cleanup(() => server.kill('SIGKILL'));
  const url = await server.ready();
  const db = openDb({ url: folder.databaseUrl(), poolSize: 1, silenceMs: PATIENT_MS });
  cleanup(() => db.close());
  const client = createChaosClient({ url: () => url, apiKey: await createKeyIn(db), history });

  async function readiness(): Promise<number> {
    const response = await fetch(`${url}/readyz`);
    await response.arrayBuffer();
    if (response.status !== 200)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    return response.status;
  }

  let calm = false;
  async function work(name: string): Promise<void> {
    for (let count = 0; !calm; count += 1) {
      const pace = random.pick(['', '[[sim:delay 300]]', '[[sim:delay 1500]]']);
      const body = { model: 'sim-fast', prompt: `work ${pace}` };
      const jobId = await client.submit(`${name}-${count}`, body);
      await client.look(jobId);
      await client.look(random.pick(history.jobIds()));
      await delay(random.between(5, 40));
    }
  }

  async function crashAgainAndAgain(): Promise<void> {
    for (let crash = 0; crash < CRASHES; crash += 1) {
      const before = history.jobIds().length;
      await waitUntil(() => history.jobIds().length >= before + 20, 'work to go on');
      await delay(random.between(0, 500));
      await folder.killDatabase();
      // It may be back before anybody asks: the log says that it was gone.
      const isNoticed = () => server.logged('stopped; restarting it').length > crash;
      await waitUntil(isNoticed, 'the server to notice');
      await waitUntil(async () => (await readiness()) === 200, 'a server that is ready');
    }
  }

  const clients = Array.from({ length: CLIENTS }, (_, index) => work(`client-${index}`));
  await Promise.all([crashAgainAndAgain().finally(() => (calm = true)), ...clients]);
  await untilAllEnded(db);
  for (const jobId of history.jobIds()) await client.finished(jobId);

  expect(history.violations()).toEqual([]);
  expect(await findContradictions(db)).toEqual([]);
  const count = await countJobs(db);
  console.log(JSON.stringify({ ...count, ...history.counts }));
  // The server was there all the time: every request was answered.
  expect(history.counts.lost).toBe(0);
  expect(history.counts.unavailable).toBeGreaterThan(0);
  expect(count.completed).toBe(history.jobIds().length);
  expect(server.logged('stopped; restarting it')).toHaveLength(CRASHES);

  await server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});
