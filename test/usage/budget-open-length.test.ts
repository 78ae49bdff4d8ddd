// A budget where nobody asks for a length: what is reserved is what the vendor is told to keep to.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { clientOf } from '../executions/execution.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import type { ScriptedModel } from '../support/scripted-model.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';

const MODEL = 'openai:model-of-my-own';

let folder: string;
let vendor: ScriptedModel;
let server: TestServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-open-length-'));
  const pricesFile = join(folder, 'prices.json');
  writeFileSync(pricesFile, JSON.stringify({ [MODEL]: { input: 1, output: 100 } }));
  vendor = await startScriptedModel();
  vendor.answer(() => 'Good day.');
  server = await startTestServer({ baseUrls: { openai: vendor.url }, pricesFile });
});
afterEach(() => void (vendor.calls.length = 0));
afterAll(async () => {
  await server?.close();
  await vendor?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function teamWith(budgetUsd: number | null) {
  const { key, email } = await server.createKey();
  const body = { settings: { budgetUsd } };
  await server.call('PATCH', `/v1/teams/${await server.teamId(email)}`, { key, body });
  return key;
}

const lengths = () => vendor.calls.map(({ maxTokens }) => maxTokens);
const open = { model: MODEL, maxTokens: 200_000 };

it('the vendor is sent no length where there is no budget', async () => {
  const key = await teamWith(null);
  await server.finished(key, await server.submit(key, open));
  expect(lengths()).toEqual([undefined]);
});

it('a team with a budget reserves a length that the vendor is sent', async () => {
  // 8,192 tokens of output cost 0.82 dollars, 200,000 would cost 20.
  const key = await teamWith(1);
  const jobId = await server.submit(key, open);
  const { rows } = await server.db.query<{ reserved: number }>(
    'select reserved_usd as reserved from jobs where id = $1',
    [jobId],
  );
  expect(rows[0]!.reserved).toBeGreaterThan(0.8192);
  expect(rows[0]!.reserved).toBeLessThan(0.83);
  await server.finished(key, jobId);
  expect(lengths()).toEqual([8192]);
});

it('an execution with a budget does, too', async () => {
  const key = await teamWith(null);
  const client = clientOf(server, key);
  await client.ended(
    await client.start({ task: 'x', model: MODEL, options: { budgetUsd: 5, maxTokens: 200_000 } }),
  );
  expect(lengths()[0]).toBe(8192);
});
