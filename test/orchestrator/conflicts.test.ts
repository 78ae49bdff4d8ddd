import { describe, expect, it } from 'vitest';
import { createConflictTest } from '../../src/orchestrator/run/prepare.ts';
import type { RunTask } from '../../src/orchestrator/run/task.ts';

function task(id: string, ...owns: string[]): RunTask {
  const lists = { owns, reads: [], setup: [], verify: [], commands: [] };
  const choice = {
    model: 'sim-fast',
    ladder: ['sim-fast'],
    rung: 0,
    maxTokens: 100,
    timeoutMs: 1000,
    agent: 'answer',
    maxTurns: 40,
    network: 'models' as const,
  };
  return { id, name: id, plan: id, depth: 'minimal', ...lists, ...choice };
}

describe('two streams', () => {
  it('are in conflict when both could write a file', () => {
    const tasks = new Map([
      ['a', task('a', 'src/**')],
      ['b', task('b', 'src/one.ts')],
      ['c', task('c', 'docs/')],
      ['d', task('d')],
    ]);
    const conflicts = createConflictTest(tasks);
    expect(conflicts('a', 'b')).toBe(true);
    expect(conflicts('b', 'c')).toBe(false);
    expect(conflicts('a', 'd')).toBe(false);
  });

  it('are in conflict, or no longer, as the edited manifest has it', () => {
    const tasks = new Map([
      ['a', task('a', 'src/a.ts')],
      ['b', task('b', 'src/b.ts')],
    ]);
    const conflicts = createConflictTest(tasks);
    expect(conflicts('a', 'b')).toBe(false);
    tasks.set('b', task('b', 'src/'));
    expect(conflicts('a', 'b')).toBe(true);
    tasks.set('a', task('a', 'test/'));
    expect(conflicts('a', 'b')).toBe(false);
  });
});
