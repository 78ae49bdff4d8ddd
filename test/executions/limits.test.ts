import { describe, expect, it } from 'vitest';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { PRICED_MODEL, pricedProviders } from '../support/priced-model.ts';
import { verifies } from '../support/verifies.ts';
import { clientOf, planOf } from './execution.ts';

const server = useServer({}, { providers: pricedProviders });
const bare = useServer({ role: 'api', simulator: false });
const preset = useServer({ defaultModel: 'sim-fast' });

async function newClient(on = server()) {
  return clientOf(on, (await on.createKey()).key);
}

describe('the fields of an execution', () => {
  it('default to what is documented', async () => {
    verifies('execution.defaults', 'execution.task');
    const client = await newClient();
    const id = (await client.create({ task: 'x' })).body['id'];
    const { rows } = await server().db.query<Record<string, unknown>>(
      `select context, dry_run, max_steps, timeout_ms, budget_usd from executions where id = $1`,
      [id],
    );
    expect(rows[0]).toEqual({
      context: JSON.stringify({ files: [], contents: {}, environment: 'default' }),
      dry_run: false,
      max_steps: 10,
      timeout_ms: 600_000,
      budget_usd: null,
    });
  });

  it.each([
    ['task', {}],
    ['task', { task: '' }],
    ['task', { task: 'x'.repeat(100_001) }],
    ['options.maxSteps', { task: 'x', options: { maxSteps: 0 } }],
    ['options.maxSteps', { task: 'x', options: { maxSteps: 201 } }],
    ['options.maxSteps', { task: 'x', options: { maxSteps: 1.5 } }],
    ['options.timeout', { task: 'x', options: { timeout: 999 } }],
    ['options.timeout', { task: 'x', options: { timeout: 3_600_001 } }],
    ['options.budgetUsd', { task: 'x', options: { budgetUsd: 0 } }],
    ['options.webhookUrl', { task: 'x', options: { webhookUrl: 'ftp://example.com' } }],
    ['options.webhookUrl', { task: 'x', options: { webhookUrl: 'http://10.0.0.1/' } }],
    ['context.files', { task: 'x', context: { files: Array(201).fill('a') } }],
    ['context.contents', { task: 'x', context: { contents: { '../a': '' } } }],
    ['context.environment', { task: 'x', context: { environment: '' } }],
    ['model', { task: 'x', model: 'no-such-kind' }],
  ])('are refused where %s is wrong (%#)', async (path, body) => {
    verifies('execution.ranges', 'execution.task');
    expectInvalid(await (await newClient()).create(body), path);
  });

  it('may be at their limits, and others are ignored', async () => {
    verifies('execution.ranges', 'execution.create.extras');
    const client = await newClient();
    for (const options of [
      { maxSteps: 1, timeout: 1000 },
      { maxSteps: 200, timeout: 3_600_000 },
    ]) {
      const answer = await client.create({
        task: 'x'.repeat(100_000),
        context: { files: Array(200).fill('a.ts'), contents: { 'a.ts': 'text' }, environment: 'e' },
        options: { ...options, budgetUsd: 100, dryRun: true },
        model: 'sim-instant',
        provider: 'simulator',
        unknown: true,
      });
      expect(answer.status).toBe(202);
    }
  });

  it('without a model need one that the server knows', async () => {
    verifies('execution.model.default');
    const refused = expectInvalid(await (await newClient(bare())).create({ task: 'x' }), 'model');
    expect(refused.details?.[0]?.code).toBe('NO_DEFAULT_MODEL');
    const client = await newClient(preset());
    const { body } = await client.create({ task: 'x', options: { dryRun: true } });
    expect((await client.ended(body['id'] as string)).model).toBe('sim-fast');
  });

  it('need a key for the provider that they name', async () => {
    const answer = await (await newClient()).create({ task: 'x', model: 'gpt-5.2' });
    expect(expectInvalid(answer, 'model').details?.[0]?.code).toBe('NO_PROVIDER_KEY');
  });
});

describe('an Idempotency-Key', () => {
  it('gives the first answer again, and refuses another body', async () => {
    const client = await newClient();
    const headers = { 'idempotency-key': 'once' };
    const body = { task: 'x', model: 'sim-instant' };
    const answers = await Promise.all([client.create(body, headers), client.create(body, headers)]);
    answers.push(await client.create(body, headers));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    const replays = answers.map((answer) => answer.headers.get('idempotency-replayed'));
    expect(replays.filter((replay) => replay === 'true')).toHaveLength(2);
    expectError(await client.create({ ...body, task: 'y' }, headers), 'IDEMPOTENCY_KEY_REUSED');
  });
});

describe('a step that fails', () => {
  const tries = async (id: string) => {
    const { rows } = await server().db.query<{ count: number }>(
      `select count(*)::int as count from jobs where execution_id = $1 and stream_id = 'a'`,
      [id],
    );
    return rows[0]?.count;
  };

  it('for a passing cause is tried three times in all', async () => {
    const client = await newClient();
    // Text was there, so each job gives up after one repetition.
    const plan = planOf({ a: 'plan: "[[sim:interrupted]]"', b: 'deps: [a]', c: 'plan: fine' });
    const id = await client.start(`x ${plan}`);
    const done = await client.ended(id);
    expect(done).toMatchObject({
      status: 'failed',
      result: { success: false, error: { code: 'PROVIDER_INTERRUPTED' } },
    });
    expect(done.result?.error?.message).toMatch(/^Step a failed after 3 attempts: /);
    expect(done.steps.map(({ status }) => status)).toEqual(['failed', 'blocked', 'complete']);
    expect(done.result?.artifacts.map(({ streamId }) => streamId)).toEqual(['c']);
    expect(await tries(id)).toBe(3);
  });

  it('and then works does not fail the execution', async () => {
    const client = await newClient();
    const plan = planOf({ a: 'plan: "[[sim:fail 5 overloaded]]"' });
    const id = await client.start(`x ${plan}`);
    const done = await client.ended(id);
    expect(done.status).toBe('completed');
    expect(await tries(id)).toBe(2);
    // Asked again at once, a vendor that is down would still be.
    const { rows: waits } = await server().db.query<{ ms: number }>(
      `select (extract(epoch from started_at - queued_at) * 1000)::float8 as ms from jobs
       where execution_id = $1 and stream_id = 'a' order by id`,
      [id],
    );
    expect(waits[1]!.ms).toBeGreaterThanOrEqual(2_900);
    const { rows } = await server().db.query<{ status: string }>(
      'select status from runs where id = $1',
      [done.runId],
    );
    expect(rows[0]?.status).toBe('complete');
  });

  it('for a lasting cause fails the execution at once, and stops the others', async () => {
    const client = await newClient();
    const plan = planOf({ a: 'plan: "[[sim:auth]]"', b: 'plan: "[[sim:hang]]"' });
    const id = await client.start(`x ${plan}`);
    const done = await client.ended(id);
    expect(done.result?.error?.code).toBe('PROVIDER_AUTH');
    expect(await tries(id)).toBe(1);
    expect(done.steps[1]?.status).toMatch(/failed|skipped/);
  });

  it('that is planning fails the execution', async () => {
    const client = await newClient();
    const done = await client.ended(await client.start('x [[sim:billing]]'));
    expect(done.result?.error?.code).toBe('PROVIDER_BILLING');
    expect(done.result?.summary).toMatch(/^Failed while planning: /);
  });
});

describe('the time of an execution', () => {
  it('is over for all of it', async () => {
    const client = await newClient();
    const plan = planOf({ a: 'plan: fine', b: 'plan: "[[sim:hang]]"\ndeps: [a]' });
    const id = await client.start({ task: `x ${plan}`, options: { timeout: 3000 } });
    const done = await client.ended(id);
    expect(done).toMatchObject({
      status: 'failed',
      progress: { current: 1, total: 2 },
      result: { error: { code: 'TIMEOUT' }, artifacts: [{ streamId: 'a' }] },
    });
    expect(done.metrics.duration).toBeGreaterThanOrEqual(3000);
  });
});

describe('a budget', () => {
  const model = PRICED_MODEL;

  it('that does not cover planning ends the execution before any call', async () => {
    const client = await newClient();
    const id = await client.start({ task: 'x', model, options: { budgetUsd: 0.001 } });
    const done = await client.ended(id);
    expect(done).toMatchObject({
      status: 'failed',
      metrics: { tokensUsed: 0, costUsd: 0 },
      result: { error: { code: 'BUDGET_EXCEEDED' } },
    });
    const { rows } = await server().db.query(
      `select j.attempt, r.worked from jobs j join runs r on r.id = j.run_id where j.execution_id = $1`,
      [id],
    );
    // No worker had it, not even for a moment.
    expect(rows).toEqual([{ attempt: 0, worked: false }]);
  });

  it('stops before the step that could pass it, and keeps what was done', async () => {
    const client = await newClient();
    // A call may cost up to about 0.135, and costs about 0.005.
    const budgetUsd = 0.16;
    const task = 'x [[sim:plan 20 steps 20 waves]]';
    const id = await client.start({ task, model, options: { budgetUsd, maxSteps: 20 } });
    const done = await client.ended(id);
    expect(done.result?.error?.code).toBe('BUDGET_EXCEEDED');
    expect(done.metrics.costUsd).toBeLessThanOrEqual(budgetUsd);
    expect(done.progress.current).toBeGreaterThan(0);
    expect(done.result?.artifacts).toHaveLength(done.progress.current);
  });

  it('holds steps back while others may still use it up, and then goes on', async () => {
    const client = await newClient();
    const task = 'x [[sim:plan 8 steps 1 waves]]';
    const id = await client.start({ task, model, options: { budgetUsd: 0.3 } });
    const done = await client.ended(id);
    expect(done.status).toBe('completed');
    const { rows } = await server().db.query<{ reserved_usd: number; most: number }>(
      `select reserved_usd, (select count(distinct queued_at)::int from jobs
         where execution_id = e.id and wave_number > 0) as most from executions e where id = $1`,
      [id],
    );
    expect(rows[0]?.reserved_usd).toBe(0);
    expect(rows[0]?.most).toBeGreaterThan(1);
  });

  it('needs a price', async () => {
    const body = { task: 'x', model: 'openai:no-such-model', options: { budgetUsd: 1 } };
    const answer = await (await newClient()).create(body);
    expect(expectInvalid(answer, 'options.budgetUsd').details?.[0]?.code).toBe('PRICE_UNKNOWN');
  });
});
