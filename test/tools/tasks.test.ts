// Long calls by handles: the extension io.modelcontextprotocol/tasks.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ExecuteOutput } from '../../src/tools/tool-schemas.ts';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { newFolder } from './assistant.ts';
import type { Place } from './assistant.ts';
import { GATED_MODEL, startGatedModel } from './gated-model.ts';
import type { GatedModel } from './gated-model.ts';
import { rawClient, rawClientHere } from './raw-client.ts';
import type { RawAnswer, RawClient } from './raw-client.ts';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const TASKS = { extensions: { [EXTENSION]: {} } };
const ASKS = { ...TASKS, elicitation: {} };

let model: GatedModel;
let server: TestServer;
let key = '';
const place = newFolder();
const clients: RawClient[] = [];

beforeAll(async () => {
  model = await startGatedModel();
  server = await startTestServer({
    baseUrls: { openai: model.url },
    operatorKeys: { openai: 'sk-test' },
    defaultModel: GATED_MODEL,
  });
  key = (await server.createKey()).key;
});
afterEach(async () => {
  model.open();
  for (const each of clients.splice(0)) await each.close();
});
afterAll(async () => {
  await server.close();
  await model.close();
  place.remove();
});

async function client(offered: object = TASKS, settings: Place['settings'] = {}) {
  const at = { url: server.url, key, folder: place.root };
  const made = await rawClientHere(
    { ...at, settings: { model: GATED_MODEL, taskAfterMs: 50, ...settings } },
    offered,
  );
  clients.push(made);
  return made;
}

async function newProcess(): Promise<{ raw: RawClient; kill(): void }> {
  const env = {
    MILLRACE_URL: server.url,
    MILLRACE_API_KEY: key,
    MILLRACE_WORKSPACE: place.root,
    MILLRACE_STATE_DIR: `${place.folder}/state`,
    MILLRACE_CONFIG_DIR: `${place.folder}/config`,
  };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp'],
    env: cleanEnv(env) as Record<string, string>,
    stderr: 'pipe',
  });
  const raw = await rawClient(transport, TASKS);
  clients.push(raw);
  return { raw, kill: () => process.kill(transport.pid!, 'SIGKILL') };
}

const get = (raw: RawClient, taskId: unknown, capabilities?: object) =>
  raw.request('tasks/get', { taskId }, capabilities);

async function untilStatus(raw: RawClient, taskId: unknown, status: string): Promise<RawAnswer> {
  return waitUntil(async () => {
    const answer = await get(raw, taskId);
    return answer.result?.['status'] === status ? answer : undefined;
  }, `the task to be ${status}`);
}

/** A task that is held at its step. */
async function startTask(raw: RawClient, path: string): Promise<string> {
  model.hold();
  const { result } = await raw.execute({ task: `Make file:${path}` });
  expect(result).toMatchObject({ resultType: 'task', status: 'working' });
  await model.untilAsked(`file:${path}`);
  return result!['taskId'] as string;
}

const outputOf = ({ result }: RawAnswer) => {
  const { structuredContent } = result!['result'] as { structuredContent: unknown };
  return ExecuteOutput.parse(structuredContent);
};

describe('a client that takes handles', () => {
  it('gets one for what takes long, which is good for every process', async () => {
    const first = await newProcess();
    model.hold();
    const called = await first.raw.execute({ task: 'Make file:handle.ts' });
    expect(called.result).toMatchObject({
      resultType: 'task',
      taskId: expect.stringMatching(/^exec_/),
      status: 'working',
      ttlMs: 86_400_000,
      pollIntervalMs: 2000,
      createdAt: expect.stringMatching(/Z$/),
      lastUpdatedAt: expect.stringMatching(/Z$/),
    });
    const taskId = called.result!['taskId'];
    await model.untilAsked('file:handle.ts');
    const looked = await get(first.raw, taskId);
    expect(looked.result).toMatchObject({
      resultType: 'complete',
      taskId,
      status: 'working',
      statusMessage: 'step 1 of 1: one',
    });
    expect(looked.result).not.toHaveProperty('result');
    first.kill();
    const second = await newProcess();
    expect((await get(second.raw, taskId)).result).toMatchObject({ taskId, status: 'working' });
    model.open();
    const done = await untilStatus(second.raw, taskId, 'completed');
    expect(outputOf(done)).toMatchObject({
      status: 'success',
      executionId: taskId,
      result: { applied: 'none', artifacts: [{ operations: [{ path: 'handle.ts' }] }] },
    });
    expect(done.result!['result']).not.toHaveProperty('isError');
    expect(model.callsFor('file:handle.ts')).toHaveLength(2);
  });

  it('gets the result at once where there is nothing to wait for', async () => {
    const raw = await client(TASKS, { model: 'sim-instant', taskAfterMs: 60_000 });
    const quick = await raw.execute({ task: 'Add a file' });
    expect(quick.result).toMatchObject({
      resultType: 'complete',
      structuredContent: { status: 'success' },
    });
    model.hold();
    const plan = await client();
    const dry = await plan.execute({ task: 'Make file:dry.ts', dryRun: true });
    expect(dry.result).toMatchObject({ structuredContent: { status: 'success' } });
  });

  it('joins what it started, and sees a failure as a result', async () => {
    const raw = await client();
    const taskId = await startTask(raw, 'joined.ts');
    const again = await raw.execute({ task: 'Make file:joined.ts' });
    expect(again.result).toMatchObject({ resultType: 'task', taskId });
    await server.db.query(
      "update executions set status = 'failed', ended_at = now(), result = $2 where id = $1",
      [
        taskId,
        JSON.stringify({
          success: false,
          artifacts: [],
          summary: 'It failed.',
          error: { code: 'PROVIDER_AUTH', message: 'The key was refused.' },
        }),
      ],
    );
    const failed = await get(raw, taskId);
    expect(failed.result).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(outputOf(failed)).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_AUTH' } });
  });

  it('cancels by the handle', async () => {
    const raw = await client();
    const taskId = await startTask(raw, 'cancelled.ts');
    expect(await raw.request('tasks/cancel', { taskId })).toMatchObject({
      result: { resultType: 'complete' },
    });
    const { result } = await get(raw, taskId);
    expect(result).toMatchObject({
      status: 'cancelled',
      statusMessage: 'Cancelled: 0 of 1 steps done',
    });
    // Once more, and when it has ended: acknowledged, and nothing changes.
    expect(await raw.request('tasks/cancel', { taskId })).toHaveProperty('result');
    model.open();
  });

  it.each(['tasks/get', 'tasks/cancel', 'tasks/update'])(
    '%s refuses what is no task',
    async (method) => {
      const raw = await client();
      const unknown = ['exec_0123456789abcdefghjkmnpqrs', '../../v1/keys', '', 'x'.repeat(100_000)];
      for (const taskId of unknown) {
        const { error } = await raw.request(method, { taskId, inputResponses: {} });
        expect(error?.code).toBe(-32602);
        expect(error!.message.length).toBeLessThan(300);
      }
      for (const params of [{}, { taskId: 1 }]) {
        expect((await raw.request(method, params)).error?.code).toBe(-32602);
      }
      const stranger = await rawClientHere(
        { url: server.url, key: (await server.createKey()).key, folder: place.root },
        TASKS,
      );
      clients.push(stranger);
      const others = await server.db.query<{ id: string }>('select id from executions limit 1');
      for (const { id } of others.rows) {
        expect((await stranger.request(method, { taskId: id })).error?.code).toBe(-32602);
      }
      const bare = await raw.request(method, { taskId: unknown[0] }, {});
      expect(bare.error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } },
      });
    },
  );

  it('is asked by the task, and the answer is honoured once', async () => {
    for (const [decision, atOnceMs, words] of [
      ['apply', 3_600_000, undefined],
      ['leave', 0, 'The user chose not to'],
      ['leave', 3_600_000, 'was not answered'],
    ] as const) {
      const path = `task-${decision}-${atOnceMs}.ts`;
      const raw = await client(ASKS, { atOnceMs });
      const taskId = await startTask(raw, path);
      model.open();
      const asked = await untilStatus(raw, taskId, 'input_required');
      expect(asked.result).toMatchObject({
        inputRequests: {
          decision: {
            method: 'elicitation/create',
            params: { message: expect.stringContaining(`create ${path} (+1)`) },
          },
        },
      });
      // Another look shows the same question; an answer to another one changes nothing.
      const other = { other: { action: 'accept', content: { decision: 'apply' } } };
      await raw.request('tasks/update', { taskId, inputResponses: other });
      expect((await get(raw, taskId)).result).toMatchObject({ status: 'input_required' });
      expect(existsSync(join(place.root, path))).toBe(false);
      const inputResponses = { decision: { action: 'accept', content: { decision } } };
      const updated = await raw.request('tasks/update', { taskId, inputResponses });
      expect(updated.result).toMatchObject({ resultType: 'complete' });
      const done = await get(raw, taskId);
      expect(done.result).toMatchObject({ status: 'completed' });
      const isYes = decision === 'apply';
      expect(outputOf(done).result?.applied).toBe(isYes ? 'all' : 'none');
      if (words !== undefined) expect(outputOf(done).next).toContain(words);
      expect(existsSync(join(place.root, path))).toBe(isYes);
      await raw.request('tasks/update', {
        taskId,
        inputResponses: { decision: { action: 'accept', content: { decision: 'apply' } } },
      });
      expect(outputOf(await get(raw, taskId)).result?.applied).toBe(isYes ? 'all' : 'none');
    }
  });
});

it('a client that does not take handles waits, as before', async () => {
  const raw = await client({}, { softDeadlineMs: 200 });
  model.hold();
  const { result } = await raw.execute({ task: 'Make file:waits.ts' });
  expect(result).toMatchObject({
    resultType: 'complete',
    structuredContent: { status: 'running' },
  });
});
