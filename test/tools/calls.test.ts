import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseManifest } from '../../src/manifest/text/parse.ts';
import { CancelOutput, ExecuteOutput, StatusOutput } from '../../src/tools/tool-schemas.ts';
import { artifactOf, planOf, replyOf } from '../executions/execution.ts';
import { startTestServer } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';
import { waitUntil } from '../support/processes.ts';
import { newAssistant, newFolder } from './assistant.ts';
import type { Assistant, Place } from './assistant.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const server = useServer();
// Its database has no worker at first: what is submitted there waits.
const idle = useServer({ role: 'api' });

let key = '';
let idleKey = '';
const place = newFolder();
const assistants: Assistant[] = [];

beforeAll(async () => {
  key = (await server().createKey()).key;
  idleKey = (await idle().createKey()).key;
});
afterEach(async () => {
  for (const each of assistants.splice(0)) await each.close();
});
afterAll(() => place.remove());

async function assistant(settings: Place['settings'] = {}, on = server()): Promise<Assistant> {
  const used = on === server() ? key : idleKey;
  const made = await newAssistant({ url: on.url, key: used, folder: place.root, settings });
  assistants.push(made);
  return made;
}

const CREATES = (path: string, content: string) =>
  planOf({ one: `owns: [${path}]\nplan: write it` }) +
  replyOf('one', artifactOf([{ type: 'create', path, content }], { summary: 'wrote it' }));

async function countOf(task: string, on = idle()): Promise<number> {
  const { rows } = await on.db.query<{ count: string }>(
    'select count(*) from executions where task like $1',
    [`%${task}%`],
  );
  return Number(rows[0]!.count);
}

describe('millrace_execute', () => {
  it("sends the repository's instructions with the files of a task, and none without files", async () => {
    writeFileSync(join(place.root, 'AGENTS.md'), 'Rule of the root.\n');
    const sentWith = async (mark: string, files: string[]) => {
      const { call } = await assistant();
      const task = `${planOf({ one: 'owns: [a.ts]' })} ${mark}`;
      expect((await call('execute', { task, files, dryRun: true })).isError).toBe(false);
      const { rows } = await server().db.query<{ contents: object | null }>(
        `select context::jsonb -> 'contents' as contents from executions where task like $1`,
        [`%${mark}%`],
      );
      return Object.keys(rows[0]!.contents ?? {}).sort();
    };
    try {
      expect(await sentWith('marked-one', ['a.ts'])).toEqual(['AGENTS.md', 'a.ts']);
      expect(await sentWith('marked-two', [])).toEqual([]);
    } finally {
      rmSync(join(place.root, 'AGENTS.md'));
    }
  });

  it('returns what was done, and writes nothing until the user says so', async () => {
    const task = CREATES('new.ts', 'export {};\n');
    const { call } = await assistant();
    const { isError, output, text } = await call('execute', { task, files: ['*.ts'] });
    expect(isError).toBe(false);
    expect(JSON.parse(text)).toEqual(output);
    expect(ExecuteOutput.parse(output)).toMatchObject({
      status: 'success',
      result: {
        success: true,
        applied: 'none',
        applyCommand: `millrace apply ${output.executionId}`,
        artifacts: [{ operations: [{ type: 'create', path: 'new.ts', bytes: 11, additions: 1 }] }],
      },
      steps: [{ index: 0, name: 'one', status: 'completed', summary: 'wrote it' }],
    });
    expect(output.next).toContain(`millrace apply ${output.executionId}`);
    expect(existsSync(join(place.root, 'new.ts'))).toBe(false);
    const sent = await server().db.query<{ context: { contents: object } }>(
      'select context from executions where id = $1',
      [output.executionId],
    );
    expect(JSON.stringify(sent.rows[0])).toContain('export const a = 1;');
  });

  it('writes the files at once where the user set that, and keeps a result that conflicts', async () => {
    const { call } = await assistant({ apply: 'auto' });
    const { output } = await call('execute', { task: CREATES('auto.ts', 'x\n') });
    expect(output.result).toMatchObject({ applied: 'all' });
    expect(output.next).toBeUndefined();
    expect(readFileSync(join(place.root, 'auto.ts'), 'utf8')).toBe('x\n');
    writeFileSync(join(place.root, 'other.ts'), 'mine\n');
    const second = await call('execute', { task: CREATES('other.ts', 'theirs\n') });
    expect(ExecuteOutput.parse(second.output)).toMatchObject({
      status: 'success',
      result: { applied: 'conflict', conflicts: [{ code: 'APPLY_CONFLICT' }] },
    });
    expect(readFileSync(join(place.root, 'other.ts'), 'utf8')).toBe('mine\n');
    const looked = await call('status', { executionId: output.executionId });
    expect(looked.output.result).toMatchObject({ applied: 'all' });
  });

  it('reports a failed execution as an error that fits the schema', async () => {
    const { call } = await assistant();
    const { isError, output } = await call('execute', { task: 'x [[sim:auth]]' });
    expect(isError).toBe(true);
    expect(ExecuteOutput.parse(output)).toMatchObject({
      status: 'failed',
      error: { code: 'PROVIDER_AUTH', retryable: false },
    });
    const again = await call('execute', { task: 'x [[sim:auth]]' });
    expect(again.output.executionId).not.toBe(output.executionId);
  });

  it('plans without running anything when asked to', async () => {
    const { call } = await assistant();
    const task = CREATES('never.ts', 'x\n');
    const { output } = await call('execute', { task, dryRun: true, files: ['a.ts'] });
    expect(ExecuteOutput.parse(output)).toMatchObject({
      status: 'success',
      steps: [{ index: 0, name: 'one', status: 'planned' }],
      result: {
        artifacts: [],
        applied: 'none',
        plan: {
          waves: [['one']],
          steps: [{ id: 'one', owns: ['never.ts'], dependsOn: [] }],
          context: { files: [{ path: 'a.ts', bytes: 20, included: 'full' }] },
        },
      },
    });
    expect(output.result?.plan?.totals.tokens).toBeGreaterThan(0);
    const manifest = output.result?.plan?.manifest ?? '';
    expect(parseManifest(manifest)).toMatchObject({ kind: 'manifest', problems: [] });
    expect(manifest).toContain('owns: [never.ts]');
    expect(output.next).toMatch(/without dryRun.*millrace\.yaml/);
  });

  it('is paid for once, whatever the client does', async () => {
    const on = idle();
    const { call } = await assistant({ softDeadlineMs: 100 }, on);
    const patient = await assistant({}, on);
    const input = { task: CREATES('once.ts', 'x\n') };
    // Too slow for the client: told so, and where to look.
    const first = await call('execute', input);
    expect(ExecuteOutput.parse(first.output)).toMatchObject({ status: 'running', result: null });
    const id = first.output.executionId;
    expect(first.output.next).toContain(id);
    // A client that loses patience, in another process: it goes on.
    await expect(patient.call('execute', input, { timeout: 300 })).rejects.toThrow(/timed out/i);
    const looked = await call('status', { executionId: 'latest' });
    expect(StatusOutput.parse(looked.output)).toMatchObject({
      status: 'running',
      executionId: id,
      progress: { completed: 0, total: 0, text: '0/0' },
      currentStep: 'planning',
    });
    const waiting = patient.call('execute', input);
    // Of another process, which says that it has not started it.
    const other = await assistant({ softDeadlineMs: 100 }, on);
    const joined = await other.call('execute', input);
    expect(joined.output).toMatchObject({ executionId: id, status: 'running', joined: true });
    expect(joined.output.message).toContain('Joined the execution of the same call, started at 20');
    expect(first.output).not.toHaveProperty('joined');
    const worker = await startTestServer({ role: 'worker' }, on.databaseUrl);
    try {
      expect((await waiting).output).toMatchObject({
        status: 'success',
        executionId: id,
        joined: true,
      });
      expect(await countOf('once.ts')).toBe(1);
      // It was told how it ended: the same words again are a new wish.
      const next = await patient.call('execute', input);
      expect(next.output.executionId).not.toBe(id);
      expect(next.output).not.toHaveProperty('joined');
    } finally {
      await worker.close();
    }
  });

  it('stops when the user stops it, unless another call waits for the same', async () => {
    const on = server();
    const { call } = await assistant({}, on);
    const input = { task: 'stopped [[sim:hang]]' };
    const stop = new AbortController();
    const stopped = call('execute', input, { signal: stop.signal });
    const other = new AbortController();
    const also = call('execute', input, { signal: other.signal });
    const states = async () => {
      const { rows } = await on.db.query<{ id: string; status: string }>(
        "select id, status from executions where task like '%stopped%'",
      );
      return rows;
    };
    const [{ id }] = await waitUntil(async () => {
      const [first] = await states();
      return first && ([first] as const);
    }, 'the execution');
    stop.abort('user pressed Esc');
    await expect(stopped).rejects.toThrow();
    const looking = await assistant({ softDeadlineMs: 0 });
    const { output } = await looking.call('status', { executionId: id });
    expect(output.status).toBe('running');
    other.abort('user pressed Esc');
    await expect(also).rejects.toThrow();
    await waitUntil(async () => (await states())[0]?.status === 'cancelled', 'the end');
    // Of a new process, which knows nothing of what was before.
    const fresh = await assistant({ softDeadlineMs: 100 });
    const again = await fresh.call('execute', input);
    expect(again.output.status).toBe('running');
    await fresh.call('cancel', { executionId: again.output.executionId });
  });

  it('tells how far it is, in numbers that grow', async () => {
    const { call } = await assistant({ heartbeatMs: 20, softDeadlineMs: 600_000 });
    const told: { progress: number; message?: string | undefined }[] = [];
    const enough = new AbortController();
    const onprogress = (each: (typeof told)[number]) => {
      if (told.push(each) === 3) enough.abort('enough');
    };
    const task = planOf({ slow: 'owns: [s.ts]\nplan: "[[sim:hang]]"' });
    const options = { onprogress, signal: enough.signal, timeout: PATIENCE_MS };
    await expect(call('execute', { task }, options)).rejects.toThrow();
    const numbers = told.map(({ progress }) => progress);
    expect(numbers.length).toBeGreaterThan(2);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(told[0]?.message).toMatch(/\(\d+s\)$/);
  });
});

describe('millrace_status', () => {
  const SLOW = {
    first: 'owns: [f.ts]\nplan: "[[sim:delay 700]]"',
    second: 'owns: [s.ts]\nplan: x\ndeps: [first]',
  };

  it('waits for the end, not for the next step, and tells how far it is meanwhile', async () => {
    const hasty = await assistant({ softDeadlineMs: 1 });
    const { output } = await hasty.call('execute', { task: `steps ${planOf(SLOW)}` });
    expect(output.status).toBe('running');
    const { executionId } = output;
    const patient = await assistant({ heartbeatMs: 20 });
    const told: string[] = [];
    const onprogress = ({ message = '' }: { message?: string | undefined }) => told.push(message);
    const ended = await patient.call(
      'status',
      { executionId },
      { onprogress, timeout: PATIENCE_MS },
    );
    expect(ended.output).toMatchObject({ status: 'success', progress: { completed: 2, total: 2 } });
    expect(told.length).toBeGreaterThan(0);
  });

  it('never answers a call twice in the same words, nor asks for the same call again', async () => {
    const { call } = await assistant({ softDeadlineMs: 50 });
    const { output: first } = await call('execute', { task: 'loops [[sim:hang]]' });
    const { executionId } = first;
    expect(first.next).toContain(`executionId "${executionId}" and poll 1`);
    const seen = new Set<string>();
    for (let poll = 1; poll <= 6; poll++) {
      const { output, text } = await call('status', { executionId, poll });
      expect(output.next).toContain(`executionId "${executionId}" and poll ${poll + 1}`);
      seen.add(text);
    }
    expect(seen.size).toBe(6);
    await call('cancel', { executionId });
  });

  it('takes "latest" for the newest of its own session, and says when it is of another', async () => {
    const [one, two] = [await assistant(), await assistant()];
    const mine = await one.call('execute', { task: `Mine.\n${CREATES('mine.ts', 'x\n')}` });
    const theirs = await two.call('execute', { task: `Theirs.\n${CREATES('theirs.ts', 'x\n')}` });
    expect(mine.output.task).toMatch(/^Mine\. /);
    for (const [{ call, client }, { output }] of [
      [one, mine],
      [two, theirs],
    ] as const) {
      const looked = await call('status', { executionId: 'latest' });
      expect(looked.output).toMatchObject({
        executionId: output.executionId,
        task: output.task,
        message: '1 file ready, not written.',
      });
      const cancelled = await call('cancel', { executionId: 'latest' });
      expect(cancelled.output.finalState.executionId).toBe(output.executionId);
      const uri = 'millrace://executions/latest';
      const [content] = (await client.readResource({ uri })).contents;
      expect(content).toMatchObject({ text: expect.stringContaining(output.executionId) });
      const listed = (await client.listResources()).resources.map((each) => each.uri);
      expect(listed).toContain(`millrace://executions/${output.executionId}`);
    }
    const fresh = await assistant();
    const { output } = await fresh.call('status', { executionId: 'latest' });
    expect(output.executionId).toBe(theirs.output.executionId);
    expect(output.message).toContain('This session has started none');
  });
});

describe('millrace_cancel', () => {
  it('says what the execution came to, also when it had ended', async () => {
    const { call } = await assistant({ softDeadlineMs: 100 });
    const plan = {
      done: 'owns: [d.ts]\nplan: x',
      slow: 'owns: [s.ts]\nplan: "[[sim:hang]]"\ndeps: [done]',
    };
    const { output } = await call('execute', { task: planOf(plan) });
    const id = output.executionId;
    await waitUntil(async () => {
      const looked = await call('status', { executionId: id });
      return looked.output.progress.completed === 1;
    }, 'the first step');
    const first = await call('cancel', { executionId: id });
    expect(CancelOutput.parse(first.output)).toMatchObject({
      cancelled: true,
      finalState: { status: 'cancelled', progress: { completed: 1, total: 2, text: '1/2' } },
    });
    const statuses = first.output.finalState.steps.map(({ status }) => status);
    expect(statuses).toEqual(['completed', 'cancelled']);
    const { tokensUsed } = first.output.finalState.metrics;
    expect(tokensUsed).toBeGreaterThan(0);
    const patient = await assistant();
    const ended = await patient.call('execute', { task: CREATES('e.ts', 'x\n') });
    const second = await patient.call('cancel', { executionId: 'latest' });
    expect(second.output).toMatchObject({
      cancelled: false,
      finalState: { executionId: ended.output.executionId, status: 'success' },
    });
  });
});

it('the tools have schemas with one type in each place', async () => {
  const { client } = await assistant();
  const { tools } = await client.listTools();
  expect(JSON.stringify(tools)).toContain('"anyOf":[{"type":"string"},{"type":"null"}]');
  expect(JSON.stringify(tools)).not.toContain('"type":[');
});

it('arguments that a host adds, and null for what a model leaves out, change nothing', async () => {
  const { call } = await assistant();
  const odd = { files: null, dryRun: null, maxSteps: null, wait_for_previous: true };
  const { isError, text, output } = await call('execute', {
    task: CREATES('odd.ts', 'x\n'),
    ...odd,
  });
  expect(isError, text).toBe(false);
  const { executionId } = output;
  for (const tool of ['status', 'cancel'] as const) {
    const looked = await call(tool, { executionId, wait_for_previous: false, other: null });
    expect(looked.isError, looked.text).toBe(false);
  }
  const { tools } = await (await assistant()).client.listTools();
  for (const { inputSchema } of tools)
    expect(inputSchema).not.toHaveProperty('additionalProperties');
});

describe('wrong calls', () => {
  it.each([
    ['execute', {}, /^VALIDATION_ERROR: .*task/],
    ['execute', { task: ' ' }, /^VALIDATION_ERROR: .*task/],
    ['execute', { task: 'x', files: 'a.ts' }, /^VALIDATION_ERROR: .*files/],
    ['execute', { task: 'x', maxSteps: 0 }, /^VALIDATION_ERROR: .*maxSteps/],
    ['execute', { task: null }, /^VALIDATION_ERROR: .*task/],
    ['execute', { task: 'x', files: ['../x'] }, /^PATH_OUTSIDE_WORKSPACE: /],
    ['status', { executionId: '..' }, /^NOT_FOUND: /],
    ['status', { executionId: 'exec_0123456789abcdefghjkmnpqrs' }, /^NOT_FOUND: /],
    ['cancel', { executionId: 'exec_0123456789abcdefghjkmnpqrs' }, /^NOT_FOUND: /],
  ] as const)('%s %j', async (tool, input, expected) => {
    const { call } = await assistant();
    const { isError, text, output } = await call(tool, input);
    expect(isError).toBe(true);
    expect(text).toMatch(expected);
    expect(output).toBeUndefined();
    const [, body = ''] = text.split('\n');
    expect(JSON.parse(body)).toMatchObject({ error: { retryable: false } });
  });

  it('name a tool that is not there', async () => {
    const { client } = await assistant();
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it('come from a caller that the server does not know, or reach no server', async () => {
    const { url } = server();
    const stranger = await newAssistant({ url, key: 'mrk_wrong' });
    assistants.push(stranger);
    const refused = await stranger.call('execute', { task: 'x' });
    expect(refused.text).toMatch(/^UNAUTHORIZED: .*millrace login/);
    const nowhere = await newAssistant({ url: 'http://127.0.0.1:1', key });
    assistants.push(nowhere);
    const lost = await nowhere.call('execute', { task: 'x' });
    expect(lost.text).toMatch(/^SERVER_UNREACHABLE: /);
    expect(lost.text).toContain('"retryable":true');
    const noFolder = await nowhere.call('execute', { task: 'x', files: ['a.ts'] });
    expect(noFolder.text).toMatch(/^WORKSPACE_NOT_SET: /);
  });
});
