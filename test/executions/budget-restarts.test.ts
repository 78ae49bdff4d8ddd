// A budget holds whatever happens to a call: repeated after text had come, handed over, lost.
import { expect, it } from 'vitest';
import { startFakeNode } from '../support/fake-node.ts';
import { startTestServer } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';
import { PRICED_MODEL, pricedProviders } from '../support/priced-model.ts';
import { verifies } from '../support/verifies.ts';
import { clientOf, planOf, replyOf } from './execution.ts';

const server = useServer({}, { providers: pricedProviders });
const model = PRICED_MODEL;

it('a call that breaks off after its text came is not repeated past the budget', async () => {
  verifies('execution.budget');
  const client = clientOf(server(), (await server().createKey()).key);
  // Each call costs about 0.15 and then breaks off; repeated, it would cost twice as much.
  const task = `${replyOf('plan', 'word '.repeat(9000))} [[sim:cut 8000 overloaded]]`;
  for (const budgetUsd of [0.32, 0.5]) {
    const done = await client.ended(await client.start({ task, model, options: { budgetUsd } }));
    expect(done.result?.error?.code).toBe('BUDGET_EXCEEDED');
    expect(done.metrics.costUsd).toBeGreaterThan(0.1);
    expect(done.metrics.costUsd).toBeLessThanOrEqual(budgetUsd);
  }
});

it('a call that breaks off is repeated while the budget allows it', async () => {
  const client = clientOf(server(), (await server().createKey()).key);
  const task = `${planOf({ a: 'owns: [a.md]' })} [[sim:fail 1 overloaded]]`;
  const done = await client.ended(await client.start({ task, model, options: { budgetUsd: 0.5 } }));
  expect(done.status).toBe('completed');
});

it('what an earlier worker used of a call is not left out', async () => {
  const api = await startTestServer({ role: 'api' }, undefined, pricedProviders());
  const node = await startFakeNode(api.databaseUrl);
  try {
    const client = clientOf(api, (await api.createKey()).key);
    const budgetUsd = 0.32;
    const task = replyOf('plan', 'word '.repeat(8000));
    const id = await client.start({ task, model, options: { budgetUsd } });
    const job = await node.claim();
    const used = { input: 10, output: 10, cacheRead: 0, cacheWrite: 0, estimated: false };
    await node.finalizer.end({
      jobId: job.id,
      runId: job.runId,
      teamId: job.teamId,
      executionId: job.executionId,
      attempt: job.attempt,
      ending: { kind: 'usage_only' },
      used: { ...used, costUsd: 0.1, unpricedCalls: 0 },
      textGeneration: 0,
    });
    await node.die();
    const worker = await startTestServer({ role: 'worker' }, api.databaseUrl, pricedProviders());
    try {
      const done = await client.ended(id);
      expect(done.result?.error?.code).toBe('BUDGET_EXCEEDED');
      expect(done.metrics.costUsd).toBeLessThanOrEqual(budgetUsd);
    } finally {
      await worker.close();
    }
  } finally {
    await node.close();
    await api.close();
  }
});
