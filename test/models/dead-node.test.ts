// A call whose server is killed: counted as far as it had come, marked as an estimate, and nothing stays reserved.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { startNode, waitUntil } from '../support/processes.ts';
import type { NodeProcess } from '../support/processes.ts';
import { startRawVendor } from '../support/raw-vendor.ts';
import type { RawVendor } from '../support/raw-vendor.ts';
import { TEST_MASTER_KEY, startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';

let vendor: RawVendor;
let server: TestServer;
let victim: NodeProcess | undefined;

beforeAll(async () => {
  vendor = await startRawVendor();
  server = await startTestServer();
});
afterAll(async () => {
  await victim?.kill('SIGKILL');
  await server.close();
  await vendor.close();
});

const event = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

it('is counted, and its reservation goes', async () => {
  const { key, email } = await server.createKey();
  const teamId = await server.teamId(email);
  const runId = 'run-of-a-dead-node';
  const body = { settings: { budgetUsd: 10 } };
  await server.call('PATCH', `/v1/teams/${teamId}`, { key, body });
  await server.call('PUT', `/v1/runs/${runId}/caps`, { key, body: { maxCostUsd: 5 } });
  victim = startNode(MAIN, ['serve', '--role', 'api', '--json', '--port', '0'], {
    env: cleanEnv({
      DATABASE_URL: server.databaseUrl,
      MILLRACE_MASTER_KEY: TEST_MASTER_KEY,
      MILLRACE_ANTHROPIC_BASE_URL: `${vendor.url}/v1`,
      MILLRACE_ANTHROPIC_API_KEY: 'operator-key-anthropic',
    }),
  });
  const [, url] = await victim.waitFor(/"url":"([^"]+)"/);
  const token = await server.call('POST', '/v1/stream-tokens', {
    key,
    body: { runId, streamId: 's', attempt: 1, fence: 1, models: ['claude-sonnet-4-5'] },
  });
  const usage = { input_tokens: 321, output_tokens: 1 };
  vendor.answer({
    headers: { 'content-type': 'text/event-stream' },
    pieces: [
      event('message_start', {
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          usage,
        },
      }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('content_block_delta', {
        index: 0,
        delta: { type: 'text_delta', text: 'ten words of an answer that will never end here ' },
      }),
      'never sent',
    ],
    before: (index) => (index < 3 ? Promise.resolve() : new Promise(() => undefined)),
  });
  const response = await fetch(`${url}/model/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': token.body['token'] as string },
    body: JSON.stringify({
      model: 'claude-sonnet-4-5',
      max_tokens: 4000,
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  });
  expect(response.status).toBe(200);
  const reader = response.body!.getReader();
  await reader.read();
  const find = async () => {
    const { rows } = await server.db.query<Record<string, unknown>>(
      `select id, status, reserved_usd, used_so_far, settled_at from jobs where run_id = $1`,
      [runId],
    );
    return rows[0]!;
  };
  const saved = () =>
    waitUntil(
      async () => String((await find())['used_so_far']).includes('321') || undefined,
      'what was used by then',
    );
  await saved();
  expect(await find()).toMatchObject({
    status: 'running',
    reserved_usd: expect.closeTo(0.06, 2) as number,
  });

  await victim.kill('SIGKILL');
  await reader.cancel().catch(() => undefined);
  await waitUntil(async () => (await find())['settled_at'] ?? undefined, 'the settling');
  const job = await server.call('GET', `/api/v1/job/${String((await find())['id'])}?view=full`, {
    key,
  });
  expect(job.body).toMatchObject({
    status: 'failed',
    errorCode: 'WORKER_LOST',
    kind: 'call',
    usageEstimated: true,
    tokensUsed: { input: 321 },
    attempt: 1,
  });
  const spent = job.body['costUsd'] as number;
  expect(spent).toBeGreaterThan(0);
  const caps = await server.call('GET', `/v1/runs/${runId}/caps`, { key });
  expect(caps.body).toMatchObject({
    run: { limitUsd: 5, reservedUsd: 0, spentUsd: expect.closeTo(spent, 5) as number },
  });
  const current = await server.call('GET', '/v1/usage/current', { key });
  expect(current.body).toMatchObject({
    budget: { reservedUsd: 0, spentUsd: expect.closeTo(spent, 5) as number },
  });
  const { body: run } = await server.call('GET', `/api/v1/history/${runId}`, { key });
  expect(run).toMatchObject({ run: { status: 'failed' } });
});
