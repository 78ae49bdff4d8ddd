import { expect, it } from 'vitest';
import type { RunEvent, RunEventBody } from '../../src/contract/run-events.ts';
import { projectionOf } from '../../src/domain/run/projection.ts';
import { nodeText, pausedText, pendingText } from '../../web/pages/run/waiting-text.ts';
import { runStarted } from './run-started.ts';

const stream = (id: string, waitsFor: string[] = []) => ({
  id,
  name: `About ${id}`,
  wave: waitsFor.length + 1,
  status: 'pending' as const,
  waitsFor,
});

function eventsOf(bodies: readonly RunEventBody[]): RunEvent[] {
  return bodies.map((body, index) => ({
    v: 1,
    seq: index + 1,
    ts: new Date(1_800_000_000_000 + index * 1000).toISOString(),
    ...body,
  }));
}

const NONE = { input: 0, output: 0, cachedInput: 0 };
const begun: RunEventBody[] = [
  runStarted([stream('a'), stream('b', ['a'])]),
  { type: 'stream.started', stream: 'a', attempt: 1, wave: 1 },
];
const paused = {
  type: 'run.paused',
  reason: 'The server cannot be reached.',
  totals: {
    streams: 2,
    complete: 0,
    failed: 0,
    skipped: 0,
    durationMs: 2000,
    tokens: NONE,
    costUsd: 0,
    unpricedCalls: 0,
    cachedCalls: 0,
    savedUsd: 0,
    filesChanged: 0,
  },
} as unknown as RunEventBody;

it('a paused run says why, and the clocks of its streams stand until it is resumed', () => {
  const going = projectionOf(eventsOf(begun));
  expect([going.streams.get('a')?.startedAt, pausedText(going)]).toEqual([
    1_800_000_001_000,
    undefined,
  ]);
  const over = projectionOf(eventsOf([...begun, paused]));
  expect(pausedText(over)).toBe('The server cannot be reached.');
  expect(over.streams.get('a')).toMatchObject({ status: 'in_progress', startedAt: undefined });
  const resumed = projectionOf(eventsOf([...begun, paused, begun[0]!]));
  expect(resumed.streams.get('a')?.startedAt).toBe(1_800_000_003_000);
});

it('a stream that is blocked does not wait', () => {
  const blocked = (to: 'blocked' | 'pending') =>
    projectionOf(
      eventsOf([...begun, { type: 'stream.status', stream: 'b', from: 'pending', to } as never]),
    );
  const textOf = (projection: ReturnType<typeof projectionOf>) => {
    const row = projection.streams.get('b')!;
    return [nodeText(projection, row), pendingText(projection, row)];
  };
  expect(textOf(blocked('pending'))).toEqual(['waits for a', 'Waits for About a']);
  expect(textOf(blocked('blocked'))).toEqual(['blocked by a', 'Blocked until About a is fixed']);
});
