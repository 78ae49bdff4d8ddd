import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { clientOf } from '../executions/execution.ts';
import { useCleanup } from '../support/chaos/cleanup.ts';
import { createRandom } from '../support/chaos/random.ts';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { startNode, waitUntil } from '../support/processes.ts';
import { TEST_MASTER_KEY, startTestServer } from '../support/server.ts';
import { startVendorServer } from '../support/vendor/index.ts';
import type { VendorServer } from '../support/vendor/index.ts';
import { verifies } from '../support/verifies.ts';
import { startReceiver } from '../webhooks/receiver.ts';

// Each kill costs its worker's start; CHAOS_KILLS=100 (with 50 executions) looks longer.
const KILLS = Number(process.env['CHAOS_KILLS'] ?? 3);
const EXECUTIONS = Math.ceil(KILLS / 2);
/** The first call of all: nothing that happens here takes longer. */
const HELD_MS = 30_000;
const STEPS = 8;
const WORKERS = 3;
const cleanup = useCleanup();

/** Eight steps in four waves; each answer takes its time, so that kills meet calls under way. */
function scriptModel(vendors: VendorServer): void {
  const numbers = Array.from({ length: STEPS }, (_, index) => index + 1);
  const streams = numbers.map((number) => {
    const deps = number > 2 ? `\n    deps: [s${number - 2}]` : '';
    return `  s${number}:\n    name: Step-${number}.\n    owns: [s${number}.md]\n    plan: x${deps}`;
  });
  const plan = `\`\`\`\`yaml\nfeature: chaos\nstreams:\n${streams.join('\n')}\n\`\`\`\`\n`;
  const isPlanning = { contains: 'Answer with the plan now' };
  vendors.script({ ...isPlanning, options: { text: plan, firstDelay: HELD_MS }, times: 1 });
  vendors.script({ ...isPlanning, options: { text: plan, firstDelay: 100 } });
  for (const number of numbers) {
    const operations = [{ type: 'create', path: `s${number}.md`, content: `text ${number}\n` }];
    vendors.script({
      contains: `# Task: Step-${number}.`,
      options: {
        text: `\`\`\`millrace-artifact\n${JSON.stringify({ operations })}\n\`\`\`\n`,
        firstDelay: 100 + 20 * number,
      },
    });
  }
}

test('executions end as without faults while their workers are killed, and pay for no step twice', async () => {
  verifies('execution.paid-once', 'webhooks.at-least-once');
  const random = createRandom();
  const vendors = await startVendorServer();
  cleanup(() => vendors.close());
  scriptModel(vendors);
  const receiver = await startReceiver();
  cleanup(() => receiver.close());
  const server = await startTestServer({
    role: 'api',
    baseUrls: { openai: vendors.url('compatible') },
    allowPrivateTargets: true,
  });
  cleanup(() => server.close());
  const { key } = await server.createKey();
  const client = clientOf(server, key);
  const hook = { url: `${receiver.url}/hook`, events: ['*'] };
  expect((await server.call('POST', '/v1/webhooks', { key, body: hook })).status).toBe(201);

  const launch = () => {
    const worker = startNode(MAIN, ['serve', '--json', '--role', 'worker'], {
      env: cleanEnv({
        DATABASE_URL: server.databaseUrl,
        MILLRACE_OPENAI_BASE_URL: vendors.url('compatible'),
        MILLRACE_MASTER_KEY: TEST_MASTER_KEY,
        MILLRACE_ALLOW_PRIVATE_TARGETS: 'on',
        MILLRACE_SLOTS: '16',
        NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
      }),
    });
    cleanup(() => worker.kill('SIGKILL'));
    return worker;
  };
  const workers = Array.from({ length: WORKERS }, launch);

  const ids = await Promise.all(
    Array.from({ length: EXECUTIONS }, (_, index) =>
      client.start({
        task: `Execution number ${index}.`,
        model: 'openai:scripted',
        options: { timeout: 3_600_000 },
      }),
    ),
  );

  // One call is held for longer than anything here: this kill meets it for sure.
  const killSurely = async () => {
    await waitUntil(() => vendors.load('compatible').active > 0, 'a call');
    await Promise.all(workers.map((worker) => worker.kill('SIGKILL')));
    workers.splice(0, WORKERS, ...Array.from({ length: WORKERS }, launch));
  };

  const killAgainAndAgain = async () => {
    await killSurely();
    for (let kill = 0; kill < KILLS; kill += 1) {
      await delay(random.between(50, 1000));
      const index = random.below(workers.length);
      await workers[index]!.kill('SIGKILL');
      workers[index] = launch();
    }
  };
  await killAgainAndAgain();
  for (const id of ids) {
    const done = await client.ended(id);
    expect(done.result?.error).toBeUndefined();
    expect(done).toMatchObject({
      status: 'completed',
      progress: { current: STEPS, total: STEPS },
    });
    expect(done.result?.artifacts.map(({ operations }) => operations[0]?.['content'])).toEqual(
      Array.from({ length: STEPS }, (_, index) => `text ${index + 1}\n`),
    );
  }

  const { rows } = await server.db.query<{
    task: string;
    stream_id: string;
    completed: number;
    losses: number;
    ended_at: Date;
  }>(
    `select e.task, j.stream_id, count(*) filter (where j.status = 'completed')::int as completed,
         sum(j.losses)::int as losses, max(j.ended_at) filter (where j.status = 'completed') as ended_at
       from jobs j join executions e on e.id = j.execution_id group by e.task, j.stream_id`,
  );
  expect(rows).toHaveLength(EXECUTIONS * (STEPS + 1));
  expect(rows.filter(({ completed }) => completed !== 1)).toEqual([]);
  const calls = vendors.calls();
  const paidTwice = rows.filter(({ task, stream_id: stream, ended_at: endedAt }) => {
    const heading = stream === 'plan' ? 'Answer with the plan' : `# Task: Step-${stream.slice(1)}.`;
    const own = calls.filter(
      ({ prompt }) => prompt.includes(JSON.parse(task) as string) && prompt.includes(heading),
    );
    expect(own.length).toBeGreaterThan(0);
    return own.some(({ startedAt }) => startedAt > endedAt.getTime());
  });
  expect(paidTwice).toEqual([]);
  const losses = rows.reduce((sum, row) => sum + row.losses, 0);
  expect(losses).toBeGreaterThan(0);

  const expected = EXECUTIONS * (STEPS + 2);
  const heard = await waitUntil(() => {
    const seen = new Map<string, Set<string>>();
    for (const { body, headers } of receiver.on('/hook')) {
      const name = `${String(body.data['executionId'])} ${String(body.data['sequence'])}`;
      seen.set(name, (seen.get(name) ?? new Set()).add(String(headers['webhook-id'])));
    }
    return seen.size === expected ? seen : undefined;
  }, 'all events');
  expect([...heard.values()].filter((names) => names.size !== 1)).toEqual([]);
  console.log(JSON.stringify({ losses, calls: calls.length, steps: rows.length }));
});
