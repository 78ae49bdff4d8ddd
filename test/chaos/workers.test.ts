import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createKeyIn } from '../support/chaos/accounts.ts';
import {
  countJobs,
  findContradictions,
  untilAllEnded,
  untilTidy,
} from '../support/chaos/check-tables.ts';
import { useCleanup } from '../support/chaos/cleanup.ts';
import type { ChaosClient } from '../support/chaos/client.ts';
import { createChaosClient, untilSeenRunning } from '../support/chaos/client.ts';
import { createHistory } from '../support/chaos/history.ts';
import type { Random } from '../support/chaos/random.ts';
import { createRandom } from '../support/chaos/random.ts';
import { launchServer } from '../support/chaos/server-process.ts';
import type { ServerProcess } from '../support/chaos/server-process.ts';
import { startTestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';

// CHAOS_KILLS=20 looks longer, at a thousand jobs.
const KILLS = Number(process.env['CHAOS_KILLS'] ?? 3);
const JOBS = 50 * KILLS;
const SUBMIT_TOGETHER = 25;
const SLOTS = 40;
const cleanup = useCleanup();

// Short next to a worker's life, so that hardly any job is unlucky three times in a row.
function someJob(random: Random): Record<string, unknown> {
  const paces = [
    { model: 'sim-instant', prompt: 'at once' },
    { model: 'sim-instant', prompt: `a while [[sim:delay ${random.between(20, 300)}]]` },
    { model: 'sim-fast', prompt: 'streamed [[sim:tokens 150]]' },
    { model: 'sim-standard', prompt: 'slowly [[sim:tokens 30]]' },
  ];
  const rare = { model: 'sim-instant', prompt: 'long [[sim:delay 700]]' };
  return random.chance(0.02) ? rare : random.pick(paces);
}

test('jobs end exactly once while their workers are killed again and again', async () => {
  verifies('job.transition.requeue', 'job.attempts.max', 'job.terminal.frozen');
  const random = createRandom();
  const server = await startTestServer({ role: 'api' });
  cleanup(() => server.close());
  const history = createHistory();
  // Accounts with and without a cap: jobs over a cap wait for others to end, killed ones too.
  const clients = await Promise.all(
    (['enterprise', 'enterprise', 'team', 'team', 'pro'] as const).map(async (tier) =>
      createChaosClient({
        url: () => server.url,
        apiKey: await createKeyIn(server.db, tier),
        history,
      }),
    ),
  );

  // Two of the teams have budgets that nothing passes: what they set aside must be settled, too.
  await server.db.query(
    `update team_queue set budget_usd = 1000000
       where team_id in (select id from teams where tier = 'team')`,
  );

  const launch = (): ServerProcess => {
    const worker = launchServer({
      role: 'worker',
      databaseUrl: server.databaseUrl,
      slots: SLOTS,
    });
    cleanup(() => worker.kill('SIGKILL'));
    return worker;
  };
  const workers = [launch(), launch()];

  const ownerOf = new Map<string, ChaosClient>();
  async function submitAll(): Promise<void> {
    for (let sent = 0; sent < JOBS; sent += SUBMIT_TOGETHER) {
      const batch = Array.from({ length: SUBMIT_TOGETHER }, async (_, index) => {
        const client = random.pick(clients);
        ownerOf.set(await client.submit(`key-${sent + index}`, someJob(random)), client);
      });
      await Promise.all([...batch, delay(random.between(300, 600))]);
    }
  }

  let calm = false;
  async function watchSome(): Promise<void> {
    while (!calm) {
      await delay(10);
      if (ownerOf.size === 0) continue;
      const [jobId, client] = random.pick([...ownerOf]);
      await client.look(jobId);
    }
  }

  // Both at once while a long job runs, so that at least these kills meet one.
  async function killSurely(): Promise<void> {
    const [client] = clients;
    const body = { model: 'sim-instant', prompt: 'held [[sim:delay 15000]]' };
    const onSubmit = (jobId: string) => void ownerOf.set(jobId, client!);
    await untilSeenRunning(client!, 'held', body, onSubmit);
    await Promise.all(workers.map((worker) => worker.kill('SIGKILL')));
    workers.splice(0, workers.length, launch(), launch());
  }

  async function killAgainAndAgain(): Promise<void> {
    await killSurely();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const index = random.below(workers.length);
      // Mostly one that works, sometimes one that is still starting.
      if (random.chance(0.8)) await workers[index]!.ready();
      await delay(random.between(300, 1200));
      await workers[index]!.kill('SIGKILL');
      workers[index] = launch();
    }
  }

  const chaos = async () => {
    await Promise.all([submitAll(), killAgainAndAgain()]);
    await untilAllEnded(server.db);
  };
  await Promise.all([chaos().finally(() => (calm = true)), watchSome()]);
  await Promise.all(workers.map((worker) => worker.ready()));
  await untilTidy(server.db, workers.length);

  expect(history.violations()).toEqual([]);
  expect(await findContradictions(server.db)).toEqual([]);
  const count = await countJobs(server.db);
  console.log(JSON.stringify({ ...count, ...history.counts }));
  expect(history.jobIds()).toHaveLength(JOBS + 1);
  expect(count.completed + count.workerLost).toBe(JOBS + 1);
  // Otherwise nothing was lost, and nothing was proved.
  expect(count.losses).toBeGreaterThan(0);
  // A killed worker loses no more than its slots held: how many fail of that depends on the speed
  // of the machine, but every job takes three losses to fail, so that most must complete.
  expect(count.losses).toBeLessThanOrEqual(SLOTS * (KILLS + workers.length));
});
