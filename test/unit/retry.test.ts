import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideRetry, type RetryInput } from '../../src/domain/job/retry.ts';

const input: RetryInput = {
  failure: { retryable: true },
  call: 1,
  textAppeared: false,
  restartsAfterText: 0,
  remainingMs: 60_000,
  random: () => 0.5,
};

test('the delay doubles with every call and is spread by chance', () => {
  expect(decideRetry(input)).toEqual({ kind: 'retry', delayMs: 250 });
  expect(decideRetry({ ...input, call: 2 })).toEqual({ kind: 'retry', delayMs: 500 });
  expect(decideRetry({ ...input, random: () => 0 })).toEqual({ kind: 'retry', delayMs: 0 });
});

test('a failure that would come again is not retried', () => {
  const failure = { retryable: false, retryAfterMs: 1 };
  expect(decideRetry({ ...input, failure })).toEqual({ kind: 'fail', reason: 'not_retryable' });
});

test('three calls are the most, unless told otherwise', () => {
  expect(decideRetry({ ...input, call: 3 })).toEqual({ kind: 'fail', reason: 'calls_used_up' });
  expect(decideRetry({ ...input, call: 3, maxCalls: 4 }).kind).toBe('retry');
});

test('text is thrown away and paid for again at most once', () => {
  const again = { ...input, textAppeared: true };
  expect(decideRetry(again).kind).toBe('retry');
  expect(decideRetry({ ...again, restartsAfterText: 1 })).toEqual({
    kind: 'fail',
    reason: 'restarts_used_up',
  });
  expect(decideRetry({ ...input, restartsAfterText: 1 }).kind).toBe('retry');
});

test('a wait that reaches the deadline is not begun', () => {
  const failure = { retryable: true, retryAfterMs: 60_000 };
  expect(decideRetry({ ...input, failure })).toEqual({ kind: 'fail', reason: 'no_time_left' });
  expect(decideRetry({ ...input, failure, remainingMs: 61_000 }).kind).toBe('retry');
});

test('never earlier than asked, never past the deadline, never more calls than allowed', () => {
  fc.assert(
    fc.property(
      fc.record({
        failure: fc.record({
          retryable: fc.boolean(),
          retryAfterMs: fc.option(fc.integer({ min: -10, max: 100_000 }), { nil: undefined }),
        }),
        call: fc.integer({ min: 1, max: 50 }),
        maxCalls: fc.integer({ min: 1, max: 50 }),
        textAppeared: fc.boolean(),
        restartsAfterText: fc.integer({ min: 0, max: 3 }),
        remainingMs: fc.integer({ min: -10, max: 100_000 }),
        random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map((n) => () => n),
      }),
      (any) => {
        const decision = decideRetry(any);
        if (decision.kind === 'fail') return;
        expect(any.failure.retryable).toBe(true);
        expect(any.call).toBeLessThan(any.maxCalls);
        expect(decision.delayMs).toBeGreaterThanOrEqual(any.failure.retryAfterMs ?? 0);
        expect(decision.delayMs).toBeLessThan(any.remainingMs);
      },
    ),
  );
});
