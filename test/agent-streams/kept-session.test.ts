// What is kept of an agent's session between attempts: whole, bounded, harmless, and for nobody else.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentProgram } from '../../src/agents/agent-program.ts';
import type { FixDetails } from '../../src/domain/prompt/fix-lines.ts';
import { createKeptSession } from '../../src/orchestrator/run/kept-session.ts';
import type { RunTask } from '../../src/orchestrator/run/task.ts';
import { dropOldSessions } from '../../src/orchestrator/state/session-record.ts';
import { removeTree } from '../../src/sandbox/copy/remove-tree.ts';
import type { HomeBounds } from '../../src/sandbox/copy/copy-home.ts';

let base: string;
let program: AgentProgram;
let notes: string[];
const at = (...path: string[]) => join(base, ...path);
const kept = (...path: string[]) => at('state/runs/run_1/sessions/s', ...path);

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'millrace-sessions-'));
  notes = [];
  for (const name of ['home', 'next', 'elsewhere', 'state']) mkdirSync(at(name));
  writeFileSync(at('program'), '');
  writeFileSync(at('elsewhere', 'key'), 'of the person');
  writeFileSync(at('home', 'memory'), 'all that was said');
  program = {
    name: 'mine',
    protocol: 'acp',
    command: [at('program')],
    paths: [],
    version: '1.0.0',
  };
});
afterEach(() => removeTree(base));

const HOME = { remove: () => undefined };
const fixOf = (attempt: number) => ({ attempt, of: 9, failed: [], error: 'x', diff: '' });
function keeper(
  attempt: number,
  more: Partial<AgentProgram> & {
    model?: string;
    runId?: string;
    bounds?: Partial<HomeBounds>;
  } = {},
) {
  const { model = 'm', runId = 'run_1', bounds, ...other } = more;
  const fix: FixDetails | undefined = attempt === 1 ? undefined : fixOf(attempt);
  const id = attempt === 1 ? 's' : `s-fix-${attempt - 1}`;
  const task = { id, ...(attempt > 1 && { root: 's' }) } as RunTask;
  const all = { bytes: 1e6, files: 100, depth: 10, ...bounds };
  return createKeptSession(
    { stateDir: at('state'), runId },
    { task, fix },
    { program: { ...program, ...other }, model, note: (text) => notes.push(text), bounds: all },
  );
}
const keep = (secrets: string[] = [], more: Parameters<typeof keeper>[1] = {}) =>
  keeper(1, more).keep({ id: 'one' }, { path: at('home'), ...HOME }, secrets);
const take = (...about: Parameters<typeof keeper>) =>
  keeper(...about).take({ path: at('next'), ...HOME });

describe('the session of an agent between two attempts', () => {
  it('is continued by the attempt after it, with its files', async () => {
    mkdirSync(at('home/.agent/deep'), { recursive: true });
    writeFileSync(at('home/.agent/deep/tool'), '#!/bin/sh', { mode: 0o777 });
    mkdirSync(at('home/.cache'));
    await keep();
    expect(await take(2)).toEqual({ id: 'one' });
    expect(readdirSync(at('next'))).toEqual(['.agent', 'memory']);
    expect(lstatSync(at('next/.agent/deep/tool')).mode & 0o777).toBe(0o700);
    expect(lstatSync(kept('home/memory')).mode & 0o777).toBe(0o600);
    // As often as a process is killed meanwhile.
    rmSync(at('next'), { recursive: true });
    mkdirSync(at('next'));
    expect(await take(2)).toEqual({ id: 'one' });
  });

  it('is not continued by any other', async () => {
    expect(await take(2)).toBeUndefined();
    await keep();
    for (const attempt of [1, 3]) expect(await take(attempt)).toBeUndefined();
    expect(await take(2, { runId: 'run_2' })).toBeUndefined();
    expect(await take(2, { model: 'n' })).toEqual({ why: 'The model is n now.' });
    expect(await take(2, { name: 'other' })).toEqual({
      why: 'Another agent works on the stream now.',
    });
    const changed = { why: expect.stringContaining('has changed since') };
    expect(await take(2, { version: '1.0.1' })).toEqual(changed);
    expect(await take(2, { protocol: 'headless' })).toEqual(changed);
    expect(await take(2, { login: { file: '/x', inside: 'x', withheld: [], hosts: [] } })).toEqual(
      changed,
    );
    utimesSync(at('program'), 1, 1);
    expect(await take(2)).toEqual(changed);
    expect(readdirSync(at('next'))).toEqual([]);
  });

  it('that was cut short, or was damaged, is not used', async () => {
    await keep();
    rmSync(kept('session.json'));
    expect(await take(2)).toBeUndefined();
    writeFileSync(kept('session.json'), '{"id":');
    expect(await take(2)).toEqual({ why: expect.stringContaining('cannot be read') });
    await keep();
    expect(await take(2)).toEqual({ id: 'one' });
  });

  it.each([
    ['bytes', { bytes: 1024 * 1024 }, 'more than 1 MiB', () => truncateSync(big(), 2 ** 40)],
    ['files', { files: 3 }, 'more than 3 files', () => many(4)],
    ['levels', { depth: 4 }, 'folders in more than 4 levels', () => deep(8)],
    ['levels, far too many', {}, 'folders in more than 10 levels', () => deep(30)],
  ])('with too many %s is not kept, which is said', async (_what, bounds, why, fill) => {
    fill();
    await keep([], { bounds });
    expect(notes).toEqual([`Its session is not kept for another attempt: its home has ${why}.`]);
    expect(existsSync(kept())).toBe(false);
    expect(await take(2)).toBeUndefined();
  });
  function big() {
    writeFileSync(at('home/big'), '');
    return at('home/big');
  }
  function many(count: number) {
    for (let one = 0; one < count; one++) writeFileSync(at('home', String(one)), '');
  }
  /** Deeper than a path can say. */
  function deep(levels: number) {
    const name = 'd'.repeat(200);
    const script = `i=0; while [ $i -lt ${levels} ]; do mkdir ${name} && cd -P ${name} || exit 0; i=$((i+1)); done`;
    execFileSync('/bin/sh', ['-c', script], { cwd: at('home') });
  }

  it('takes along no links, pipes and other ways out, and does not stop at what is closed', async () => {
    symlinkSync(at('elsewhere'), at('home/folder'));
    symlinkSync(at('elsewhere/key'), at('home/key'));
    symlinkSync('.', at('home/loop'));
    execFileSync('mkfifo', [at('home/pipe')]);
    mkdirSync(at('home/closed'));
    writeFileSync(at('home/closed/file'), 'inside');
    chmodSync(at('home/closed'), 0);
    writeFileSync(at('home/unreadable'), '', { mode: 0 });
    await keep();
    expect(notes).toEqual([]);
    expect(await take(2)).toEqual({ id: 'one' });
    expect(readFileSync(at('next/closed/file'), 'utf8')).toBe('inside');
    const names = readdirSync(at('next')).filter((name) => name !== 'unreadable');
    expect(names).toEqual(['closed', 'memory']);
    expect(readFileSync(at('elsewhere/key'), 'utf8')).toBe('of the person');
  });

  it('leaves files with a secret behind, wherever in them it is', async () => {
    writeFileSync(at('home/notes'), `${'x'.repeat(100_000)}token-of-the-person${'y'.repeat(9)}`);
    await keep(['token-of-the-person']);
    expect(readdirSync(kept('home'))).toEqual(['memory']);
  });

  it('of other runs is removed', async () => {
    await keep();
    await keep([], { runId: 'run_2' });
    await dropOldSessions(at('state'), 'run_2');
    expect(existsSync(kept())).toBe(false);
    expect(await take(2, { runId: 'run_2' })).toEqual({ id: 'one' });
  });
});
