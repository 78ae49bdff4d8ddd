import { expect, it } from 'vitest';
import type { RunEvent, RunEventBody } from '../../src/contract/run-events.ts';
import { runStarted } from './run-started.ts';
import { projectionOf } from '../../src/domain/run/projection.ts';
import { withoutState } from '../../src/manifest/edit/without-state.ts';
import { costAt, savedByCache } from '../../web/api/token-cost.ts';
import { forkedName } from '../../web/pages/run/actions/forked-name.ts';
import { planRerun } from '../../web/pages/run/actions/rerun-plan.ts';
import type { RerunKind } from '../../web/pages/run/actions/rerun-plan.ts';

type Listed = Extract<RunEventBody, { type: 'run.started' }>['streams'][number];
const NONE = { input: 0, output: 0, cachedInput: 0 };
const TOTALS = {
  streams: { pending: 0, in_progress: 0, complete: 0, failed: 0, skipped: 0, blocked: 0 },
  fixes: 0,
  tokens: NONE,
  costUsd: 0,
  knownCostUsd: 0,
  unpricedCalls: 0,
  cachedCalls: 0,
  savedUsd: 0,
  durationMs: 0,
  filesChanged: [],
};

const stream = (id: string, more: Partial<Listed> = {}): Listed => ({
  id,
  name: id,
  wave: 1,
  status: 'pending',
  waitsFor: [],
  ...more,
});

function runOf(
  streams: Listed[],
  bodies: readonly RunEventBody[],
  named?: { only: string[]; from: string[] },
) {
  const started: RunEventBody = { ...runStarted(streams), ...(named && { named }) };
  const events = [started, ...bodies].map((body, index): RunEvent => ({
    v: 1,
    seq: index + 1,
    ts: new Date(1_800_000_000_000 + index * 1000).toISOString(),
    ...body,
  }));
  return { events, projection: projectionOf(events) };
}

const ended = { attempt: 1, wave: 1, durationMs: 1, tokens: NONE, costUsd: 0 };
const complete = (id: string): RunEventBody[] => [
  { type: 'stream.started', stream: id, attempt: 1, wave: 1 },
  {
    type: 'stream.answer',
    stream: id,
    attempt: 1,
    call: 1,
    ok: true,
    tokens: { input: 1000, output: 100, cachedInput: 0 },
    costUsd: 0.5,
  },
  { type: 'stream.completed', stream: id, ...ended, files: [] },
];
const fail = (id: string): RunEventBody => ({
  type: 'stream.failed',
  stream: id,
  ...ended,
  error: 'E',
  class: '',
  retryable: false,
  mayFix: false,
});
const becomes = (id: string, to: 'blocked' | 'skipped', cause: string): RunEventBody => ({
  type: 'stream.status',
  stream: id,
  from: 'pending',
  to,
  cause,
});
const FAILED: RunEventBody = { type: 'run.failed', totals: TOTALS };
const PAUSED: RunEventBody = { type: 'run.paused', totals: TOTALS, reason: 'budget' };

function planned(run: ReturnType<typeof runOf>, kind: RerunKind, from?: string) {
  const { again, reused, left, command, estimate } = planRerun(run, { kind, from });
  const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).join(' ');
  return { again: ids(again), reused: ids(reused), left: ids(left), command, estimate };
}

it('what is not done runs again, also what a failure skipped, and what was never asked has an estimate', () => {
  const run = runOf(
    [stream('a'), stream('b'), stream('c', { waitsFor: ['b'] }), stream('d'), stream('e')],
    [
      ...complete('a'),
      fail('b'),
      becomes('c', 'blocked', 'b'),
      becomes('d', 'skipped', 'b'),
      becomes('e', 'skipped', 'e'),
      FAILED,
    ],
  );
  expect(planned(run, 'rest')).toMatchObject({
    again: 'b c d',
    reused: 'a',
    left: 'e',
    command: 'millrace run m.yaml',
    // Three times what the only stream that was asked took.
    estimate: { tokens: { input: 3000, output: 300 }, costUsd: 1.5 },
  });
});

it('a run that was paused is resumed, with the streams that were named for it', () => {
  const named = { only: [], from: ['a'] };
  const streams = [stream('a'), stream('b'), stream('x', { status: 'skipped', leftOut: true })];
  const paused = runOf(streams, [fail('a'), PAUSED], named);
  expect(planned(paused, 'rest')).toMatchObject({
    again: 'b',
    left: 'a x',
    command: 'millrace run m.yaml --from a',
  });
  // It has ended: the same names would run again what is done.
  const failed = runOf(streams, [...complete('b'), fail('a'), FAILED], named);
  expect(planned(failed, 'rest')).toMatchObject({
    again: 'a',
    reused: 'b',
    command: 'millrace run m.yaml --only a',
  });
});

it('who only writes the same files does not follow from a stream, and is a beginning of its own', () => {
  const run = runOf(
    [stream('a'), stream('b', { waitsFor: ['a'] }), stream('c', { waitsFor: ['a'], after: ['a'] })],
    [...complete('a'), ...complete('b'), ...complete('c')],
  );
  expect(planned(run, 'from', 'a')).toMatchObject({ again: 'a b', reused: 'c' });
  expect(planned(run, 'all')).toMatchObject({
    again: 'a b c',
    command: 'millrace run m.yaml --from a,c',
  });
});

it('tokens have a price, or none is known', () => {
  const price = { model: 'm', provider: 'p', inputUsd: 10, cachedInputUsd: 1, outputUsd: 50 };
  const tokens = { input: 1_000_000, cachedInput: 400_000, output: 100_000 };
  expect(costAt(price, tokens)).toBeCloseTo(6 + 0.4 + 5);
  expect(savedByCache(price, tokens)).toBeCloseTo(3.6);
  expect(costAt({ ...price, outputUsd: null }, tokens)).toBeNull();
  expect(savedByCache({ ...price, cachedInputUsd: null }, tokens)).toBeNull();
  expect(savedByCache(undefined, { cachedInput: 0 })).toBe(0);
});

it('a fork begins with a manifest that no run has written into', () => {
  const text = `# Mine.
feature: F
status: failed
streams:
  a:
    name: A # said so
    owns: [a.ts]
    status: failed
    attempts: 3
    error: It failed
  a-fix-1:
    name: Fix
    parentStreamId: a
    owns: [a.ts]
    status: failed
  b:
    name: B
    owns: [b.ts]
    status: complete
    appliedAt: 2026-01-01T00:00:00.000Z
`;
  expect(withoutState(text)).toBe(`# Mine.
feature: F
status: pending
streams:
  a:
    name: A # said so
    owns: [a.ts]
    status: pending
  b:
    name: B
    owns: [b.ts]
    status: pending
`);
  expect(withoutState('not: [a manifest')).toBe('not: [a manifest');
  expect(forkedName('plans/shop.v2.yaml')).toBe('plans/shop.v2-fork.yaml');
  expect(forkedName('.plans/shop')).toBe('.plans/shop-fork');
});
