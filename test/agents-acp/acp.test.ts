// The Agent Client Protocol as agents speak it, well and badly.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionState } from '../../src/agents/agent-run.ts';
import { runAcp } from '../../src/agents/acp/run-acp.ts';
import { runOf } from './start-process.ts';

const AGENT = fileURLToPath(new URL('scripted-agent.mjs', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-acp-')));
  mkdirSync(join(folder, 'src'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function play(scene: string, answerMs?: number, session?: SessionState) {
  const command = [process.execPath, AGENT, scene] as const;
  const place = { folder, ...(session && { session }) };
  const { run, followed } = runOf({ command, protocol: 'acp' }, place);
  return { end: await runAcp(run, answerMs), ...followed };
}

describe('an agent that speaks the Agent Client Protocol', () => {
  it('works, is refused what its stream does not own, and is offered no files', async () => {
    const { end, messages, thoughts, tools, refused } = await play('works');
    expect(end).toEqual({ lastWords: '-32601 -32602 task' });
    expect(readFileSync(join(folder, 'src/a.txt'), 'utf8')).toBe('ok\n');
    expect(messages).toEqual(['I begin.', '[>] Write', 'Then no. And yes.', '-32601 -32602 task']);
    expect(thoughts).toEqual(['The file is missing.']);
    expect(tools).toEqual([
      { name: 'edit', argument: 'Edit src/a.txt', durationMs: expect.any(Number) },
    ]);
    expect(refused).toEqual([
      { what: 'permission', subject: 'b.txt', why: 'The stream does not own it.' },
    ]);
  });

  it('is given the model of its stream where it has a choice', async () => {
    expect((await play('has models')).messages).toEqual(['m vendor/sim-instant']);
  });

  it('loads a session where it can, and what was said before is no news', async () => {
    expect((await play('works')).end).not.toHaveProperty('session');
    const first = await play('loads');
    expect(first.end).toEqual({ lastWords: 'anew: the task', session: { id: 's' } });
    const { end, messages, tools } = await play('loads', undefined, { id: 'earlier' });
    expect(end).toEqual({ lastWords: 'earlier: the task', session: { id: 'earlier' } });
    expect({ messages, tools }).toEqual({ messages: ['earlier: the task'], tools: [] });
  });

  it.each([
    ['has forgotten', 'session/load: no such session'],
    ['works', 'It does not load sessions any more.'],
  ])('that %s what it should continue says so', async (scene, error) => {
    const { end } = await play(scene, undefined, { id: 'earlier' });
    expect(end).toEqual({ lastWords: undefined, error });
  });

  it.each([
    ['refuses', 'It refused the task.', 'I will not.'],
    ['exits', 'It ended with exit code 3 before it was done.\nout of luck', undefined],
    [
      'has no stop reason',
      'Its answer to session/prompt is not what the protocol says.',
      undefined,
    ],
    [
      'is of tomorrow',
      'It speaks version 2 of the Agent Client Protocol, and Millrace version 1.',
      undefined,
    ],
    ['wants a sign-in', 'session/new: Authentication required ({"hint":"log in"})', undefined],
    ['writes one giant line', 'It sent a message that is too long to be read.', undefined],
    ['asks for ever', 'It sent more than 20000 requests.', undefined],
  ])('that %s ends with why', async (scene, error, lastWords) => {
    expect((await play(scene)).end).toEqual({ lastWords, error });
  });

  it('that does not answer is ended', async () => {
    const { end } = await play('is silent', 200);
    expect(end.error).toBe('It did not answer initialize in 0 seconds.');
  });

  it('that prints what is no message is listened to all the same', async () => {
    const { end, tools } = await play('speaks no JSON');
    expect(end).toEqual({ lastWords: 'Still here.' });
    expect(tools).toEqual([]);
  });

  it('whose question has no answers gets none', async () => {
    const { end, refused } = await play('offers nothing');
    expect(end.lastWords).toBe('It is cancelled.');
    expect(refused).toEqual([
      { what: 'permission', subject: 'ls', why: 'It left no way to allow it.' },
    ]);
  });

  it('that talks without end is kept in bounds', async () => {
    const { end, tools, messages } = await play('talks without end');
    expect(messages).toHaveLength(1);
    for (const text of [end.lastWords!, ...messages]) {
      expect(text.length).toBeGreaterThan(60_000);
      expect(text.length).toBeLessThanOrEqual(64 * 1024);
    }
    expect(tools.length).toBeLessThanOrEqual(500);
    expect(existsSync(join(folder, 'src/a.txt'))).toBe(false);
  });

  it('that cannot be started says so', async () => {
    const { run } = runOf({ command: ['/nowhere/agent'], protocol: 'acp' }, { folder });
    expect((await runAcp(run)).error).toContain('ENOENT');
  });
});
