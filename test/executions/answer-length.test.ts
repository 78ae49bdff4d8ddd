// How long the answers of an execution may be.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affordableTokens, largestCost } from '../../src/domain/usage/largest-cost.ts';
import type { Price } from '../../src/domain/usage/largest-cost.ts';
import { BASE_MAX_TOKENS, outputTokensOf } from '../../src/domain/model/model-limits.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import type { ScriptedModel } from '../support/scripted-model.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { clientOf, planOf } from './execution.ts';

describe('without a word about it', () => {
  it.each([
    ['claude-sonnet-4-5', 64_000],
    ['anthropic/claude-sonnet-4.5', 64_000],
    ['claude-opus-4-8', 64_000],
    ['claude-opus-4-1-20250805', 32_000],
    ['claude-opus-4-20250514', 32_000],
    ['claude-3-5-haiku-latest', 8192],
    ['claude-3.7-sonnet', 64_000],
    ['claude-3-haiku-20240307', 4096],
    ['gpt-5.2', 64_000],
    ['gpt-4.1-mini', 32_768],
    ['gpt-4o', 16_384],
    ['o3', 64_000],
    ['gemini-3-pro', 64_000],
    ['gemini-2.0-flash', 8192],
    ['llama-of-my-own', BASE_MAX_TOKENS],
    ['sim-standard', BASE_MAX_TOKENS],
  ])('an answer of %s may have %i tokens', (model, tokens) => {
    expect(outputTokensOf(model)).toBe(tokens);
  });
});

const server = useServer({ operatorKeys: { anthropic: 'sk-ant-none' }, role: 'api' });
const worker = useServer();

const MODEL = 'claude-sonnet-4-5';

describe('an execution', () => {
  const planned = async (options: Record<string, unknown>, model = MODEL) => {
    const client = clientOf(server(), (await server().createKey()).key);
    const id = await client.start({ task: 'x', model, options });
    const { rows } = await server().db.query<{ tokens: number; reserved: number }>(
      `select j.max_tokens as tokens, e.reserved_usd as reserved from jobs j
       join executions e on e.id = j.execution_id where e.id = $1`,
      [id],
    );
    return rows[0]!;
  };

  it('asks for as much as its model can give, or for what the caller says', async () => {
    verifies('execution.max-tokens');
    expect((await planned({})).tokens).toBe(64_000);
    expect((await planned({ maxTokens: 1000 })).tokens).toBe(1000);
    // The most that a job can say: the vendor is sent none.
    expect((await planned({}, 'anthropic:some-other')).tokens).toBe(200_000);
    expect((await planned({ maxTokens: 100_000 }, 'anthropic:some-other')).tokens).toBe(100_000);
  });

  it('thinks as much as the caller says in each of its calls', async () => {
    verifies('execution.reasoning');
    const client = clientOf(worker(), (await worker().createKey()).key);
    const task = planOf({ a: 'owns: [a.md]' });
    const { runId } = await client.ended(
      await client.start({ task, options: { reasoning: 'low' } }),
    );
    const { rows } = await worker().db.query(
      'select stream_id, reasoning from jobs where run_id = $1 order by id',
      [runId],
    );
    expect(rows).toEqual([
      { stream_id: 'plan', reasoning: 'low' },
      { stream_id: 'a', reasoning: 'low' },
    ]);
    const refused = await client.create({ task, options: { reasoning: 'most' } });
    expect(refused.status).toBe(400);
  });

  it('sets aside what its answers may cost, and shortens them where a budget asks for it', async () => {
    verifies('execution.budget');
    const ample = await planned({ budgetUsd: 50 });
    expect(ample.tokens).toBe(64_000);
    // 15 dollars a million.
    expect(ample.reserved).toBeGreaterThan(0.96);
    const tight = await planned({ budgetUsd: 0.4 });
    expect(tight.tokens).toBeGreaterThan(BASE_MAX_TOKENS);
    expect(tight.tokens).toBeLessThan(64_000);
    expect(tight.reserved).toBeLessThanOrEqual(0.4);
  });

  it('gets an answer whole that is longer than most', async () => {
    verifies('execution.max-tokens');
    const client = clientOf(worker(), (await worker().createKey()).key);
    const task = (tokens: number) =>
      `${planOf({ a: 'owns: [a.md]\nplan: write it' })} [[sim:tokens ${tokens}]]`;
    const short = await client.ended(await client.start({ task: task(17_000) }));
    expect(short.result?.error?.code).toBe('ANSWER_CUT_OFF');
    expect(short.result?.error?.message).toContain('16384 tokens');
    const options = { maxTokens: 18_000 };
    const long = await client.ended(await client.start({ task: task(17_000), options }));
    expect(long.result?.error?.code).not.toBe('ANSWER_CUT_OFF');
  });

  it('asks again with twice the length when an answer was cut off', async () => {
    const client = clientOf(worker(), (await worker().createKey()).key);
    const task = `${planOf({ a: 'owns: [a.md]\nplan: write it' })} [[sim:tokens 9000]]`;
    const done = await client.ended(await client.start({ task }));
    expect(done.status).toBe('completed');
    const { rows } = await worker().db.query(
      `select stream_id as stream, max_tokens as tokens from jobs where run_id = $1 order by id`,
      [done.runId],
    );
    expect(rows).toEqual([
      { stream: 'plan', tokens: 8192 },
      { stream: 'a', tokens: 8192 },
      { stream: 'a', tokens: 16_384 },
    ]);
  });
});

describe('an execution by a model of unknown limits', () => {
  let vendor: ScriptedModel;
  let node: TestServer;
  beforeAll(async () => {
    vendor = await startScriptedModel();
    node = await startTestServer({ baseUrls: { openai: vendor.url } });
  });
  afterAll(async () => {
    await node?.close();
    await vendor?.close();
  });

  it('asks again with twice the tokens that came when an answer was cut off', async () => {
    vendor.answer(({ maxTokens }) =>
      maxTokens === undefined ? { text: 'word '.repeat(4000), isCutOff: true } : 'no plan',
    );
    const client = clientOf(node, (await node.createKey()).key);
    await client.ended(await client.start({ task: 'x', model: 'openai:local-coder' }));
    expect(vendor.calls.slice(0, 2).map(({ maxTokens }) => maxTokens)).toEqual([undefined, 10_000]);
  });
});

it('the longest answer that a sum can pay for is found', () => {
  const price: Price = (_provider, _model, usage) => usage.output / 1000;
  const call = { provider: 'p', model: 'm', prompt: '' };
  for (const limit of [9, 10.5, 31.999]) {
    const tokens = affordableTokens(price, call, limit, { least: 8192, most: 64_000 });
    expect(largestCost(price, { ...call, maxTokens: tokens })).toBeLessThanOrEqual(limit);
    expect(tokens).toBeGreaterThan(limit * 1000 - 65);
  }
  expect(affordableTokens(price, call, 1, { least: 8192, most: 64_000 })).toBe(8192);
  expect(affordableTokens(price, call, 100, { least: 8192, most: 64_000 })).toBe(64_000);
  expect(affordableTokens(price, call, 1, { least: 8192, most: 500 })).toBe(500);
});
