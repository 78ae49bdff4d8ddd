import { describe, expect, it } from 'vitest';
import type { FailedCommand, StreamFailure } from '../../src/domain/run/failure-class.ts';
import { attemptsFor, isUpToModel, rungAfter } from '../../src/domain/run/ladder-climb.ts';
import { worstCaseOf } from '../../src/domain/run/worst-case.ts';

const failed = (more: Partial<FailedCommand> = {}): FailedCommand => ({
  command: 'npm test',
  exitCode: 1,
  timedOut: false,
  output: 'AssertionError: 1 is not 2',
  critical: true,
  ...more,
});

const verify = (...results: FailedCommand[]): StreamFailure => ({ kind: 'verify', results });
const call = (code: string, status?: number): StreamFailure => ({
  kind: 'call',
  code,
  status,
  error: 'no',
});

describe('what makes a stream climb', () => {
  it.each<[string, StreamFailure, boolean]>([
    ['a check that fails', verify(failed()), true],
    ['a check of another stream', verify(failed({ checks: 'other' })), true],
    [
      'an import that is not there',
      verify(failed({ output: "Error: Cannot find module 'left-pad'" })),
      true,
    ],
    ['a check that took too long', verify(failed({ exitCode: null, timedOut: true })), false],
    ['a check that cannot be run', verify(failed({ exitCode: 127 })), false],
    [
      'one that fails beside an unimportant one that cannot be run',
      verify(failed(), failed({ exitCode: 127, critical: false })),
      true,
    ],
    ['changes that cannot be applied', { kind: 'artifact', codes: ['NO_MATCH'], error: '' }, true],
    ['an answer that cannot be used', { kind: 'answer', error: '' }, true],
    ['a cut-off', { kind: 'cut_off', cut: { maxTokens: 9, outputTokens: 9 } }, true],
    ['a refusal of the model', call('PROVIDER_REFUSED'), true],
    ['a rejected key', call('PROVIDER_AUTH'), false],
    ['an unknown model', call('PROVIDER_MODEL_NOT_FOUND'), false],
    ['a bad request', call('PROVIDER_BAD_REQUEST'), false],
    ['a prompt that is too long', call('PROVIDER_CONTEXT_LENGTH'), false],
    ['a vendor that is down', call('PROVIDER_UPSTREAM'), false],
    ['a vendor that is silent', call('PROVIDER_TIMEOUT'), false],
    ['a lost worker', call('WORKER_LOST'), false],
    ['a server that cannot be reached', call('UNREACHABLE'), false],
    ['a budget', call('OVER_BUDGET', 402), false],
    ['setup', { kind: 'setup', results: [failed()] }, false],
    ['a full disk', { kind: 'disk', error: '' }, false],
    ['its own time', { kind: 'timeout', error: '' }, false],
  ])('%s', (_, failure, climbs) => {
    expect(isUpToModel(failure)).toBe(climbs);
  });

  it('ends at the top', () => {
    expect([0, 1, 2, 3].map((climbs) => rungAfter(climbs, ['a', 'b', 'c']))).toEqual([0, 1, 2, 2]);
    expect(rungAfter(2, [])).toBe(0);
  });
});

describe('attempts', () => {
  it('are three, or one for each model, or as many as were asked for', () => {
    expect(attemptsFor(['a'], {})).toBe(3);
    expect(attemptsFor(['a', 'b', 'c', 'd'], {})).toBe(4);
    expect(attemptsFor(['a', 'b', 'c', 'd'], { maxAttempts: 2 })).toBe(2);
  });
});

describe('the worst case', () => {
  const calls = (...costs: (number | null)[]) =>
    costs.map((costUsd) => ({ inputTokens: 10, outputTokens: 1, costUsd }));
  const worstUsd = (costs: (number | null)[], attempts: number) =>
    worstCaseOf(calls(...costs), attempts).costUsd;

  it('adds every model, and stays where it is dearest', () => {
    expect(worstUsd([1], 3)).toBe(3);
    expect(worstUsd([1, 2, 4], 3)).toBe(7);
    expect(worstUsd([1, 2], 3)).toBe(5);
    // Failures that are not up to the model keep it where it is.
    expect(worstUsd([1, 10, 2], 3)).toBe(21);
    expect(worstUsd([10, 1], 3)).toBe(30);
  });

  it('counts what no attempt reaches for nothing', () => {
    expect(worstUsd([1, 2, 4], 2)).toBe(3);
    expect(worstUsd([1, null], 1)).toBe(1);
  });

  it('is not known where a price is not', () => {
    expect(worstUsd([1, null], 3)).toBeNull();
    expect(worstCaseOf(calls(1, null), 3)).toMatchObject({ inputTokens: 30, outputTokens: 3 });
  });
});
