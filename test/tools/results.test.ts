// What becomes of a result, and when: nothing is written behind the assistant's back, or twice.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { revertExecution } from '../../src/orchestrator/index.ts';
import { startTestServer } from '../support/server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import type { TestServer } from '../support/server.ts';
import { newAssistant, newFolder } from './assistant.ts';
import type { Assistant, Place } from './assistant.ts';
import { CREATED, GATED_MODEL, startGatedModel } from './gated-model.ts';
import type { GatedModel } from './gated-model.ts';

let model: GatedModel;
let server: TestServer;
let key = '';
const place = newFolder();
const state = { root: place.root, stateDir: `${place.root}-state` };
const assistants: Assistant[] = [];

beforeAll(async () => {
  model = await startGatedModel();
  server = await startTestServer({
    baseUrls: { openai: model.url },
    operatorKeys: { openai: 'sk-test' },
  });
  key = (await server.createKey()).key;
});
afterEach(async () => {
  for (const each of assistants.splice(0)) await each.close();
});
afterAll(async () => {
  await server.close();
  await model.close();
  place.remove();
});

async function assistant(settings: Place['settings'] = {}, folder = place.root) {
  const made = await newAssistant({
    url: server.url,
    key,
    folder,
    settings: { model: GATED_MODEL, ...settings },
  });
  assistants.push(made);
  return made;
}

const written = (path: string) => existsSync(join(place.root, path));

/** An execution that is still running when its call is answered. */
async function startSlow(path: string, settings: Place['settings']): Promise<string> {
  model.hold();
  const { call } = await assistant({ softDeadlineMs: 100, ...settings });
  const { output } = await call('execute', { task: `Make file:${path}` });
  expect(output).toMatchObject({ status: 'running', result: null });
  await model.untilAsked(`file:${path}`);
  return output.executionId;
}

/** The end, without telling it to anybody. */
async function letEnd(id: string): Promise<void> {
  model.open();
  await expect
    .poll(async () => (await server.call('GET', `/v1/executions/${id}`, { key })).body['status'])
    .toBe('completed');
}

describe('a result that ends after its call, where results are written at once', () => {
  it('is written when its end is told, and by one process only', async () => {
    const id = await startSlow('late.ts', { apply: 'auto' });
    await letEnd(id);
    expect(written('late.ts')).toBe(false);
    const processes = await Promise.all([1, 2, 3].map(() => assistant({ apply: 'auto' })));
    const told = await Promise.all(
      processes.map(({ call }) => call('status', { executionId: 'latest' })),
    );
    for (const { output } of told) {
      expect(output).toMatchObject({ executionId: id, result: { applied: 'all' } });
      expect(output.next).toBeUndefined();
    }
    expect(readFileSync(join(place.root, 'late.ts'), 'utf8')).toBe(CREATED);
  });

  it('is not written again after the user reverted it, or deleted the file', async () => {
    const id = await startSlow('back.ts', { apply: 'auto' });
    await letEnd(id);
    const { call } = await assistant({ apply: 'auto' });
    const first = await call('status', { executionId: id });
    expect(first.output.result?.applied).toBe('all');
    expect(await revertExecution(state, id, { force: false })).toEqual(['back.ts']);
    const fresh = await assistant({ apply: 'auto' });
    for (const again of [call, fresh.call]) {
      const { output } = await again('status', { executionId: id });
      expect(output.result).toMatchObject({
        applied: 'none',
        applyCommand: `millrace apply ${id}`,
      });
    }
    // The same task by a process that knows nothing: it is the same execution, still reverted.
    const joined = await fresh.call('execute', { task: 'Make file:back.ts' });
    expect(joined.output).toMatchObject({ executionId: id, result: { applied: 'none' } });
    expect(written('back.ts')).toBe(false);
  });

  it('is only written to the workspace that it was started for, with that setting', async () => {
    const asked = await startSlow('asked.ts', { apply: 'never' });
    await letEnd(asked);
    const { call } = await assistant({ apply: 'auto' });
    const { output } = await call('status', { executionId: asked });
    expect(output.result).toMatchObject({ applied: 'none' });
    expect(written('asked.ts')).toBe(false);
    const other = newFolder();
    try {
      const id = await startSlow('mine.ts', { apply: 'auto' });
      await letEnd(id);
      const neighbour = await assistant({ apply: 'auto' }, other.root);
      const looked = await neighbour.call('status', { executionId: id });
      expect(looked.output.result).toMatchObject({ applied: 'none' });
      expect(existsSync(join(other.root, 'mine.ts'))).toBe(false);
    } finally {
      other.remove();
      rmSync(`${other.root}-state`, { recursive: true, force: true });
    }
  });

  it('that conflicts is told once, and not written later when nobody expects it', async () => {
    const id = await startSlow('clash.ts', { apply: 'auto' });
    await letEnd(id);
    writeFileSync(join(place.root, 'clash.ts'), 'mine\n');
    const { call } = await assistant({ apply: 'auto' });
    const { output } = await call('status', { executionId: id });
    expect(output.result).toMatchObject({ applied: 'conflict', applyCommand: expect.any(String) });
    rmSync(join(place.root, 'clash.ts'));
    const again = await call('status', { executionId: id });
    expect(again.output.result).toMatchObject({ applied: 'none' });
    expect(written('clash.ts')).toBe(false);
  });

  it('is not written for a call that was given up', async () => {
    model.hold();
    const { call } = await assistant({ apply: 'auto' });
    const stop = new AbortController();
    const input = { task: 'Make file:given-up.ts' };
    const waiting = call('execute', input, { signal: stop.signal });
    await model.untilAsked('file:given-up.ts');
    stop.abort('Request timed out');
    await expect(waiting).rejects.toThrow();
    model.open();
    const joined = await call('execute', input);
    expect(joined.output.result?.applied).toBe('all');
    expect(model.callsFor('file:given-up.ts')).toHaveLength(2);
  });
});

it.each([
  ['ask', true, false],
  ['never', true, false],
  ['auto', true, true],
  // Without a workspace nothing can be written, whatever the setting says.
  ['auto', false, false],
] as const)(
  'the tools are called what they are where apply is %s (workspace: %s)',
  async (apply, isHere, writes) => {
    const at = {
      url: server.url,
      key,
      folder: isHere ? place.root : undefined,
      settings: { apply },
    };
    const { client, close } = await newAssistant(at);
    const { tools } = await client.listTools();
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints).toEqual({
      millrace_execute: {
        readOnlyHint: false,
        destructiveHint: writes,
        idempotentHint: false,
        openWorldHint: true,
      },
      millrace_status: {
        readOnlyHint: !writes,
        destructiveHint: writes,
        idempotentHint: true,
        openWorldHint: false,
      },
      millrace_cancel: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: false,
      },
      millrace_approvals: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      millrace_answer: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
      millrace_run: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    });
    expect(client.getInstructions()).toMatch(
      /^Millrace runs coding tasks .* Use it for work on several files/,
    );
    await close();
  },
);

it('a call that waits outlasts a connection that is cut, also when it is not tried again', async () => {
  const proxy = await startTcpProxy(server.url);
  model.hold();
  const at = { url: proxy.url, key, folder: place.root, settings: { model: GATED_MODEL } };
  const { call, close } = await newAssistant(at);
  const told = Promise.withResolvers<void>();
  const waiting = call(
    'execute',
    { task: 'Make file:cut.ts' },
    { onprogress: () => told.resolve() },
  );
  await Promise.race([told.promise, waiting]);
  await model.untilAsked('file:cut.ts');
  proxy.sever();
  proxy.restore();
  model.open();
  expect((await waiting).output).toMatchObject({ status: 'success' });
  expect(model.callsFor('file:cut.ts')).toHaveLength(2);
  await close();
  await proxy.close();
});

describe('an error of the server', () => {
  it('says when to call again, if the server did', async () => {
    const limited = await server.createKey({ tier: 'trial' });
    const { call, close } = await newAssistant({ url: server.url, key: limited.key });
    for (let n = 0; n < 12; n++) {
      const { text, isError } = await call('status', { executionId: 'latest' });
      if (!text.startsWith('RATE_LIMITED')) continue;
      expect(isError).toBe(true);
      const [said = '', body = ''] = text.split('\n');
      const { error } = JSON.parse(body) as { error: Record<string, unknown> };
      expect(error).toMatchObject({ retryable: true, retryAfterSeconds: expect.any(Number) });
      expect(said).toContain(`Wait ${String(error['retryAfterSeconds'])} s`);
      await close();
      return;
    }
    throw new Error('the limit was not reached');
  });
});

describe('millrace_cancel', () => {
  it('waits until the tokens are counted, also when another call has cancelled it', async () => {
    const id = await startSlow('stopped.ts', {});
    const { call } = await assistant();
    const first = await call('cancel', { executionId: id });
    expect(first.output).toMatchObject({ cancelled: true, finalState: { status: 'cancelled' } });
    // As if the worker had not told what it used.
    await server.db.query('update jobs set settled_at = null where execution_id = $1', [id]);
    const second = call('cancel', { executionId: id });
    let isAnswered = false;
    const answered = second.then(() => (isAnswered = true));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isAnswered).toBe(false);
    await server.db.query(
      `update runs set tokens_output = tokens_output + 1000
       where id = (select run_id from executions where id = $1)`,
      [id],
    );
    await server.db.query('update jobs set settled_at = now() where execution_id = $1', [id]);
    await answered;
    const { output } = await second;
    expect(output).toMatchObject({ cancelled: false, finalState: { status: 'cancelled' } });
    const before = first.output.finalState.metrics.tokensUsed;
    expect(output.finalState.metrics.tokensUsed).toBe(before + 1000);
  });
});
