// What calls and jobs of a run, a stream and a team cost together never passes what they may cost.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { startRawVendor } from '../support/raw-vendor.ts';
import type { RawVendor } from '../support/raw-vendor.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';

/** 3 dollars a million tokens of input, 15 of output. */
const MODEL = 'claude-sonnet-4-5';
const EVENTS = { 'content-type': 'text/event-stream' };

let vendor: RawVendor;
let nodes: TestServer[];

beforeAll(async () => {
  vendor = await startRawVendor();
  const settings = {
    baseUrls: { anthropic: `${vendor.url}/v1`, openai: `${vendor.url}/v1` },
    operatorKeys: { anthropic: 'operator-key-anthropic', openai: 'operator-key-openai' },
    slots: 64,
  };
  const first = await startTestServer(settings);
  nodes = [first, await startTestServer(settings, first.databaseUrl)];
});
afterAll(async () => {
  for (const node of nodes.toReversed()) await node.close();
  await vendor.close();
});
beforeEach(() => {
  vendor.calls.length = 0;
});

const event = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** An answer that uses as many tokens as it says. */
function stream(outputTokens: number, text = 'word '): string[] {
  const usage = { input_tokens: 200, output_tokens: 1 };
  return [
    event('message_start', {
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: MODEL,
        content: [],
        stop_reason: null,
        usage,
      },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: outputTokens },
    }),
    event('message_stop', {}),
  ];
}

interface Account {
  key: string;
  teamId: string;
}

async function account(settings: object = {}): Promise<Account> {
  const { key, email } = await nodes[0]!.createKey();
  const teamId = await nodes[0]!.teamId(email);
  const { status } = await nodes[0]!.call('PATCH', `/v1/teams/${teamId}`, {
    key,
    body: { settings },
  });
  expect(status).toBe(200);
  return { key, teamId };
}

let runs = 0;
const newRun = () => `run-of-money-${++runs}`;

async function tokenOf(key: string, runId: string, more: object = {}): Promise<string> {
  const body = {
    runId,
    streamId: 'agent',
    attempt: 1,
    fence: 1,
    models: [MODEL, 'gpt-unknown'],
    ...more,
  };
  const answer = await nodes[0]!.call('POST', '/v1/stream-tokens', { key, body });
  expect(answer.status).toBe(201);
  return answer.body['token'] as string;
}

interface Asked {
  node?: TestServer;
  maxTokens?: number | null;
  isStream?: boolean;
  more?: object;
}

async function ask(
  credential: string,
  { node = nodes[0]!, maxTokens = 4000, isStream = true, more }: Asked = {},
) {
  const response = await fetch(`${node.url}/model/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': credential, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({
      model: MODEL,
      ...(maxTokens !== null && { max_tokens: maxTokens }),
      messages: [{ role: 'user', content: 'Write.' }],
      ...(isStream && { stream: true }),
      ...more,
    }),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

async function capsOf(key: string, runId: string) {
  const { body } = await nodes[1]!.call('GET', `/v1/runs/${runId}/caps`, { key });
  return body as {
    run: { limitUsd: number; spentUsd: number; reservedUsd: number };
    streams: Record<string, { limitUsd: number; spentUsd: number; reservedUsd: number }>;
  };
}

async function settled(key: string, runId: string) {
  return waitUntil(async () => {
    const { run } = await capsOf(key, runId);
    return run.reservedUsd === 0 ? run : undefined;
  }, 'the settling of every call');
}

async function runCosts(key: string, runId: string): Promise<number> {
  const { body } = await nodes[0]!.call('GET', `/api/v1/jobs?runId=${runId}&limit=100`, { key });
  const items = body['items'] as { costUsd: number | null }[];
  return items.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
}

it('a hundred calls and jobs at once, over two nodes, keep within a dollar', async () => {
  const { key } = await account();
  const runId = newRun();
  const set = await nodes[0]!.call('PUT', `/v1/runs/${runId}/caps`, {
    key,
    body: { maxCostUsd: 1 },
  });
  expect(set.body).toEqual({ run: { limitUsd: 1, spentUsd: 0, reservedUsd: 0 }, streams: {} });
  const token = await tokenOf(key, runId);
  // Each costs nearly what it may cost: 4,000 tokens are 6 cents.
  vendor.answer({ headers: EVENTS, pieces: stream(3990) });
  const first = await ask(token);
  const asked = Array.from({ length: 100 }, async (_, index) => {
    const node = nodes[index % 2]!;
    if (index % 4 < 2) {
      const { status } = await ask(token, { node, maxTokens: index % 8 < 2 ? 4000 : 3999 });
      return status;
    }
    const { status } = await node.call('POST', '/api/v1/execute', {
      key,
      body: { runId, streamId: `s${index}`, prompt: 'Write.', model: MODEL, maxTokens: 4000 },
    });
    return status;
  });
  const statuses = await Promise.all(asked);
  const { spentUsd } = await settled(key, runId);
  // Whether calls or jobs are first among the hundred is up to the machine.
  expect(new Set([first.status, ...statuses])).toContain(402);
  expect([200, 202, 402]).toEqual(expect.arrayContaining(statuses));
  expect(first.status).toBe(200);
  expect(spentUsd).toBeLessThanOrEqual(1);
  // As many as fit were let through.
  expect(spentUsd).toBeGreaterThan(0.9);
  expect(await runCosts(key, runId)).toBeCloseTo(spentUsd, 6);
  const { body } = await nodes[0]!.call('GET', `/api/v1/history/${runId}`, { key });
  const { totalCostUsd } = body['run'] as { totalCostUsd: number };
  expect(totalCostUsd).toBeCloseTo(spentUsd, 6);
});

it('calls that say no length at once keep within the budget of their team', async () => {
  const { key } = await account({ budgetUsd: 1 });
  vendor.answer({ headers: EVENTS, pieces: stream(6000) });
  const asked = Array.from({ length: 40 }, (_, index) =>
    ask(key, { node: nodes[index % 2]!, maxTokens: null }),
  );
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses).toContain(200);
  const usage = await waitUntil(async () => {
    const { body } = await nodes[0]!.call('GET', '/v1/usage/current', { key });
    const { budget } = body as { budget: { spentUsd: number; reservedUsd: number } };
    return budget.reservedUsd === 0 ? budget : undefined;
  }, 'the settling of every call');
  expect(usage.spentUsd).toBeLessThanOrEqual(1);
  expect(usage.spentUsd).toBeGreaterThan(0);
});

it('a call without a length is cut off when it has used up what is left', async () => {
  const { key } = await account();
  const runId = newRun();
  await nodes[0]!.call('PUT', `/v1/runs/${runId}/caps`, { key, body: { maxCostUsd: 0.03 } });
  const token = await tokenOf(key, runId);
  const [start, open] = stream(0);
  const endless = event('content_block_delta', {
    index: 0,
    delta: { type: 'text_delta', text: 'and so on and on '.repeat(5) },
  });
  vendor.answer({
    headers: EVENTS,
    pieces: [start!, open!, ...Array.from({ length: 5000 }, () => endless)],
  });
  const { status, text } = await ask(token, { maxTokens: null });
  expect(status).toBe(200);
  const events = text.trimEnd().split('\n\n');
  expect(events.at(-1)).toMatch(
    /^event: error\ndata: \{"type":"error","error":\{"type":"billing_error"/,
  );
  expect(text).not.toContain('message_stop');
  // What came before is whole.
  for (const one of events) JSON.parse(one.slice(one.indexOf('data: ') + 6));
  const { spentUsd } = await settled(key, runId);
  expect(spentUsd).toBeLessThanOrEqual(0.03);
  expect(spentUsd).toBeGreaterThan(0.02);
  await waitUntil(() => vendor.calls[0]!.isAborted || undefined, 'the vendor is left');
  const { body } = await nodes[0]!.call('GET', `/api/v1/jobs?runId=${runId}`, { key });
  expect((body['items'] as object[])[0]).toMatchObject({
    status: 'failed',
    errorCode: 'RESERVE_USED',
    kind: 'call',
    runId,
  });
});

it('a limit of a stream, of a call and of what has no price are kept', async () => {
  const { key, teamId } = await account();
  const runId = newRun();
  const token = await tokenOf(key, runId, { maxCostUsd: 0.05 });
  vendor.answer({ headers: EVENTS, pieces: stream(10) });
  const dear = await ask(token, { maxTokens: 4000 });
  expect(dear.status).toBe(402);
  expect(dear.headers.get('x-should-retry')).toBe('false');
  expect(JSON.parse(dear.text)).toMatchObject({
    type: 'error',
    error: {
      type: 'billing_error',
      message: expect.stringMatching(/stream agent.*\$0 of \$0\.05/) as string,
    },
  });
  expect((await ask(token, { maxTokens: 2000 })).status).toBe(200);
  expect((await capsOf(key, runId)).streams['agent']).toMatchObject({ limitUsd: 0.05 });

  // Under a limit: what has no bound or no price.
  const refused = async (more: object, maxTokens: number | null = 100) => {
    const { status, text } = await ask(token, { maxTokens, more });
    return [status, (JSON.parse(text) as { error: { message: string } }).error.message];
  };
  expect(await refused({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] })).toEqual([
    400,
    expect.stringContaining('the cost of the tool'),
  ]);
  expect(await refused({ mcp_servers: [{ type: 'url', url: 'https://example.com' }] })).toEqual([
    400,
    expect.stringContaining('mcp_servers'),
  ]);
  expect(await refused({ speed: 'fast' })).toEqual([400, expect.stringContaining('speed')]);
  expect(await refused({ max_tokens: -1 }, null)).toEqual([
    400,
    expect.stringContaining('positive'),
  ]);
  expect(await refused({ max_tokens: 1e30 }, null)).toEqual([
    400,
    expect.stringContaining('positive'),
  ]);
  expect(await refused({ service_tier: 'galactic' })).toEqual([
    400,
    expect.stringContaining('galactic'),
  ]);
  expect(await refused({ model: 'gpt-unknown' })).toEqual([
    400,
    expect.stringContaining('gpt-unknown'),
  ]);

  // The most that one call may cost: jobs and calls alike.
  const body = { settings: { maxCallCostUsd: 0.01 } };
  await nodes[0]!.call('PATCH', `/v1/teams/${teamId}`, { key, body });
  expect((await ask(key, { maxTokens: 4000 })).status).toBe(402);
  expect((await ask(key, { maxTokens: 100 })).status).toBe(200);
  const job = await nodes[0]!.call('POST', '/api/v1/execute', {
    key,
    body: { streamId: 's', prompt: 'Write.', model: MODEL, maxTokens: 4000 },
  });
  expect(job).toMatchObject({ status: 402, body: { error: { code: 'QUOTA_EXCEEDED' } } });
});

it('a job that a cap refuses says which one, and what is left', async () => {
  const { key } = await account();
  const runId = newRun();
  await nodes[0]!.call('PUT', `/v1/runs/${runId}/caps`, {
    key,
    body: { maxCostUsd: 5, streams: { a: 0.01 } },
  });
  const refused = await nodes[1]!.call('POST', '/api/v1/execute', {
    key,
    body: { runId, streamId: 'a', prompt: 'Write.', model: MODEL, maxTokens: 4000 },
  });
  expect(refused).toMatchObject({
    status: 402,
    body: {
      error: {
        code: 'QUOTA_EXCEEDED',
        details: { cap: { streamId: 'a', limitUsd: 0.01, spentUsd: 0, reservedUsd: 0 } },
      },
    },
  });
  // Another stream of the run has no limit but that of the run.
  const accepted = await nodes[1]!.call('POST', '/api/v1/execute', {
    key,
    body: { runId, streamId: 'b', prompt: 'Write.', model: MODEL, maxTokens: 4000 },
  });
  expect(accepted.status).toBe(202);
  // A limit that is raised later counts what was spent before it.
  await settled(key, runId);
  const raised = await nodes[0]!.call('PUT', `/v1/runs/${runId}/caps`, {
    key,
    body: { streams: { b: 1 } },
  });
  expect(
    (raised.body as { streams: Record<string, { spentUsd: number }> }).streams['b']!.spentUsd,
  ).toBeGreaterThan(0);
});
