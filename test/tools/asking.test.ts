import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { artifactOf, planOf, replyOf } from '../executions/execution.ts';
import { useServer } from '../support/use-server.ts';
import { newFolder } from './assistant.ts';
import type { Place } from './assistant.ts';
import { GENERATIONS, newAskedUser } from './asked-user.ts';
import type { AskedUser } from './asked-user.ts';

const server = useServer();
const place = newFolder();
let key = '';
const open: AskedUser[] = [];

beforeAll(async () => {
  key = (await server().createKey()).key;
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});
afterAll(() => place.remove());

const YES = { action: 'accept', content: { decision: 'apply' } } as const;
/** Nobody can read the question in no time at all; and everybody can in an hour. */
const READ = { atOnceMs: 0 };
const AT_ONCE = { atOnceMs: 3_600_000 };
const LEAVE = { action: 'accept', content: { decision: 'leave' } } as const;
const NO_ANSWERS = [
  [LEAVE, READ, 'no'],
  [{ action: 'decline' }, READ, 'no'],
  [{ action: 'accept', content: {} }, READ, 'none'],
  [{ action: 'cancel' }, READ, 'none'],
  // As hosts without a user answer.
  [LEAVE, AT_ONCE, 'none'],
  [{ action: 'decline' }, AT_ONCE, 'none'],
  [{ action: 'cancel' }, AT_ONCE, 'none'],
] as const;

function taskFor(path: string): string {
  const operations = [
    { type: 'create', path, content: 'one\ntwo\n' },
    { type: 'edit', path: 'a.ts', edits: [{ oldText: '= 1', newText: '= 1 ' }] },
  ];
  return (
    planOf({ one: `owns: [${path}, a.ts]\nplan: write it` }) +
    replyOf('one', artifactOf(operations, { summary: 'wrote it' }))
  );
}

describe.each(GENERATIONS)('a client of the %s generation', (generation) => {
  async function user(
    says: Parameters<typeof newAskedUser>[2],
    settings: Place['settings'] = {},
  ): Promise<AskedUser> {
    const at = { url: server().url, key, folder: place.root, settings };
    const made = await newAskedUser(generation, at, says);
    open.push(made);
    return made;
  }
  const fileOf = (name: string) => `${generation}-${name}.ts`;
  const isWritten = (path: string) => existsSync(join(place.root, path));

  it('is asked what becomes of a result, and a yes writes it', async () => {
    const path = fileOf('yes');
    const asked: string[] = [];
    const { call } = await user((message) => {
      asked.push(message);
      expect(isWritten(path)).toBe(false);
      return YES;
    });
    const input = { task: taskFor(path), files: ['a.ts'] };
    const output = await call('execute', input);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(/^Write 2 files to your project\?\n/);
    expect(asked[0]).toContain(`create ${path} (+2)`);
    expect(asked[0]).toContain('edit a.ts (+1 -1)');
    expect(output).toMatchObject({ status: 'success', result: { applied: 'all' } });
    expect(output.message).toBe('2 files written.');
    expect(output.next).toBeUndefined();
    expect(readFileSync(join(place.root, path), 'utf8')).toBe('one\ntwo\n');
    const looked = await call('status', { executionId: output.executionId });
    expect(looked.result?.applied).toBe('all');
    expect(asked).toHaveLength(1);
  });

  it('gets the command after a no, and is not asked again; a host that answers by itself is no user', async () => {
    for (const [n, [said, settings, meaning]] of NO_ANSWERS.entries()) {
      const path = fileOf(`no-${n}`);
      let asked = 0;
      const { call } = await user(() => {
        asked += 1;
        return said;
      }, settings);
      const output = await call('execute', { task: taskFor(path) });
      const { executionId } = output;
      expect(output.result).toMatchObject({
        applied: 'none',
        applyCommand: `millrace apply ${executionId}`,
      });
      const words = { no: 'The user chose not to', none: 'was not answered' };
      expect(output.next).toContain(words[meaning]);
      expect(output.message).toBe('2 files ready, not written.');
      expect(output.next).toContain(`millrace apply ${executionId}`);
      await call('status', { executionId });
      expect(asked).toBe(1);
      expect(isWritten(path)).toBe(false);
    }
  });

  it('reads in the end that its call has joined an execution, also after a question', async () => {
    const input = { task: taskFor(fileOf('joined')) };
    const silent = await user(undefined);
    const first = await silent.call('execute', input);
    const { call } = await user(() => YES);
    const output = await call('execute', input);
    expect(output).toMatchObject({ executionId: first.executionId, joined: true });
    expect(output.message).toMatch(/^2 files written\. Joined the execution of the same call/);
  });

  it('that cannot ask gets the command; neither it nor another setting asks', async () => {
    const path = fileOf('silent');
    const silent = await user(undefined);
    const output = await silent.call('execute', { task: taskFor(path) });
    expect(output.next).toContain('millrace apply');
    const never = await user(() => expect.fail('asked'), { apply: 'never' });
    const second = await never.call('execute', { task: `${taskFor(path)} again` });
    expect(second.result).not.toHaveProperty('applyCommand');
    const dry = await user(() => expect.fail('asked'));
    await dry.call('execute', { task: taskFor(path), dryRun: true });
    expect(isWritten(path)).toBe(false);
  });

  it('is asked by millrace_status about what ended later', async () => {
    const path = fileOf('later');
    const silent = await user(undefined);
    const { executionId } = await silent.call('execute', { task: taskFor(path) });
    const { call } = await user(() => YES);
    const looked = await call('status', { executionId: 'latest' });
    expect(looked).toMatchObject({ executionId, result: { applied: 'all' } });
    expect(isWritten(path)).toBe(true);
  });

  it('is not asked about an execution of another workspace', async () => {
    const other = newFolder();
    try {
      const at = { url: server().url, key, folder: other.root };
      const neighbour = await newAskedUser(generation, at, undefined);
      open.push(neighbour);
      const { executionId } = await neighbour.call('execute', { task: taskFor(fileOf('other')) });
      const { call } = await user(() => expect.fail('asked'));
      expect((await call('status', { executionId })).result?.applied).toBe('none');
    } finally {
      other.remove();
    }
  });
});

describe('a user who does not answer', () => {
  it('has decided nothing when the time is over', async () => {
    const settings = { softDeadlineMs: 100, answerGraceMs: 200 };
    const at = { url: server().url, key, folder: place.root, settings };
    const never = () => new Promise<never>(() => {});
    const { call, sent, close } = await newAskedUser('old', at, never);
    let output = await call('execute', { task: taskFor('unanswered.ts') });
    while (output.status === 'running') output = await call('status', { executionId: 'latest' });
    expect(output).toMatchObject({ status: 'success', result: { applied: 'none' } });
    expect(output.next).toContain(`millrace apply ${output.executionId}`);
    // The question does not stay on the screen.
    expect(sent).toEqual(['elicitation/create', 'notifications/cancelled']);
    expect(existsSync(join(place.root, 'unanswered.ts'))).toBe(false);
    await close();
  });

  it.each(GENERATIONS)('and stops the call (%s) has decided nothing either', async (generation) => {
    const path = `stopped-${generation}.ts`;
    const stop = new AbortController();
    const at = { url: server().url, key, folder: place.root };
    const { call, close } = await newAskedUser(generation, at, async () => {
      stop.abort('user pressed Esc');
      return YES;
    });
    const input = { task: taskFor(path) };
    await expect(call('execute', input, { signal: stop.signal })).rejects.toThrow();
    const looked = await call('status', { executionId: 'latest' });
    expect(looked.result?.applied).toBe('none');
    expect(existsSync(join(place.root, path))).toBe(false);
    await close();
  });
});
