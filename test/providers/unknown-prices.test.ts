// A price that is not known is not zero, wherever costs are shown.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../support/cli.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { startVendorServer } from '../support/vendor/index.ts';
import type { VendorServer } from '../support/vendor/index.ts';
import { verifies } from '../support/verifies.ts';
import { baseUrls } from './vendor-jobs.ts';

const UNPRICED = 'openai:model-of-my-own';

let vendors: VendorServer;
let server: TestServer;
let key: string;

beforeAll(async () => {
  vendors = await startVendorServer();
  server = await startTestServer({ baseUrls: baseUrls(vendors) });
  ({ key } = await server.createKey());
});
afterAll(async () => {
  await server?.close();
  await vendors?.close();
});

const cli = (...args: string[]) =>
  runCli(args, { MILLRACE_URL: server.url, MILLRACE_API_KEY: key });

async function runOf(id: string) {
  const { body } = await server.call('GET', `/api/v1/history/${id}`, { key });
  return body['run'] as { totalCostUsd: number; unpricedCalls?: number };
}

it('a job and its run without a price say so, with the number of calls', async () => {
  verifies('history.cost.unknown');
  const job = await server.finished(
    key,
    await server.submit(key, { model: UNPRICED, runId: 'dark' }),
  );
  expect(job).toMatchObject({ status: 'completed', costUsd: null, unpricedCalls: 1 });
  expect(await runOf('dark')).toMatchObject({ totalCostUsd: 0, unpricedCalls: 1 });
  const { body } = await server.call('GET', '/api/v1/history', { key });
  expect((body['items'] as unknown[])[0]).toMatchObject({ totalCostUsd: 0, unpricedCalls: 1 });
  const { stdout } = await cli('history');
  expect(stdout).toMatch(/^dark .*unknown/m);
  expect(stdout).not.toMatch(/\$0\.0000/);
});

it('what is known of a run is told beside the calls that are not', async () => {
  verifies('history.cost.unknown');
  const known = await server.finished(key, await server.submit(key, { runId: 'dusk' }));
  expect(known).not.toHaveProperty('unpricedCalls');
  expect(await runOf('dusk')).not.toHaveProperty('unpricedCalls');
  await server.finished(
    key,
    await server.submit(key, { model: UNPRICED, runId: 'dusk', streamId: 'b' }),
  );
  const run = await runOf('dusk');
  expect(run.totalCostUsd).toBeCloseTo(known['costUsd'] as number, 9);
  expect(run.unpricedCalls).toBe(1);
  const { stdout } = await cli('history', 'dusk');
  expect(stdout).toMatch(/\$0\.\d+.*1 call at an unknown price/);
});

it('a client that does not know a price can say so', async () => {
  const stream = { streamId: 'a', status: 'complete', costUsd: null };
  const run = { feature: 'mine', status: 'complete', startedAt: new Date().toISOString() };
  const record = (streams: unknown[]) =>
    server.call('PUT', '/api/v1/history/mine', { key, body: { run, streams } });
  expect((await record([stream])).body['run']).toMatchObject({
    totalCostUsd: 0,
    unpricedCalls: 1,
  });
  const more = { streamId: 'b', status: 'complete', costUsd: 0.5, unpricedCalls: 2 };
  const { body } = await record([stream, more]);
  expect(body['run']).toMatchObject({ totalCostUsd: 0.5, unpricedCalls: 3 });
  expect((await record([{ ...more, unpricedCalls: 0 }])).body['run']).not.toHaveProperty(
    'unpricedCalls',
  );
});

it('an execution without a price says so, also on the command line', async () => {
  const headers = { authorization: `Bearer ${key}` };
  const body = { task: 'Add a page', model: UNPRICED };
  const created = await server.call('POST', '/v1/executions', { headers, body });
  const id = created.body['id'] as string;
  const ended = await waitUntil(async () => {
    const answer = await server.call('GET', `/v1/executions/${id}`, { headers });
    return answer.body['status'] === 'running' ? undefined : answer.body;
  });
  const { costUsd, unpricedCalls } = ended['metrics'] as Record<string, unknown>;
  expect(costUsd).toBeNull();
  expect(unpricedCalls).toBeGreaterThan(0);
  const { stderr } = await cli('exec', 'Add a page', '--model', UNPRICED, '--wait');
  expect(stderr).toMatch(/cost unknown \(\d+ calls?\)/);
});
