import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScheduler } from '../../src/domain/run/scheduler.ts';
import type { RunStream, Scheduler, StatusChange } from '../../src/domain/run/scheduler.ts';
import { verifies } from '../support/verifies.ts';
import { effort } from '../support/effort.ts';

function stream(id: string, more: Partial<RunStream> = {}): RunStream {
  const rest = { attempts: 0, optional: false, deps: [], after: [], weight: 1, lane: 'sim' };
  return { id, status: 'pending', ...rest, ...more };
}

function scheduler(streams: RunStream[], concurrency = 8): Scheduler {
  return createScheduler({ streams, concurrency });
}

const shown = (changes: readonly StatusChange[]) =>
  changes.map(({ id, from, to }) => `${id}: ${from} -> ${to}`);

describe('the scheduler', () => {
  it('starts a stream as soon as its own deps are complete, whatever its wave', () => {
    verifies('stream.ready', 'stream.no-barrier', 'stream.start');
    const run = scheduler([stream('a'), stream('b'), stream('c', { deps: ['a'] })]);
    expect(run.startReady()).toEqual(['a', 'b']);
    expect(run.stream('a')).toMatchObject({ status: 'in_progress', attempts: 1 });
    run.complete('a');
    // `b` of the first wave still runs.
    expect(run.startReady()).toEqual(['c']);
  });

  it('starts first what the longest chain waits for', () => {
    const run = scheduler(
      [stream('x', { weight: 3 }), stream('y'), stream('z', { deps: ['y'], weight: 9 })],
      1,
    );
    expect(run.startReady()).toEqual(['y']);
  });

  it('blocks what waits for a stream that was denied, also when the run is resumed', () => {
    verifies('approvals.denied');
    const streams = [stream('a'), stream('b', { deps: ['a'] }), stream('c', { after: ['a'] })];
    const run = scheduler(streams);
    run.startReady();
    expect(shown(run.deny('a'))).toEqual(['a: in_progress -> skipped', 'b: pending -> blocked']);
    expect(run.startReady()).toEqual(['c']);
    const [a, ...rest] = streams;
    const resumed = scheduler([{ ...a!, status: 'skipped', isDenied: true }, ...rest]);
    expect(resumed.startReady()).toEqual(['c']);
    expect(Object.fromEntries(resumed.statuses())).toMatchObject({ a: 'skipped', b: 'blocked' });
  });

  it('blocks what waits for a failed stream, and lets it wait again once that is mended', () => {
    verifies('stream.blocked', 'stream.unblocked', 'stream.fix.root');
    const run = scheduler([
      stream('a'),
      stream('b', { deps: ['a'] }),
      stream('c', { deps: ['b'] }),
      stream('d'),
    ]);
    run.startReady();
    expect(shown(run.fail('a', { id: 'a-fix-1' }))).toEqual([
      'a: in_progress -> failed',
      'b: pending -> blocked',
      'c: pending -> blocked',
    ]);
    expect(run.startReady()).toEqual(['a-fix-1']);
    expect(run.stream('a').attempts).toBe(2);
    expect(run.stream('a-fix-1')).toMatchObject({ attempts: 1, root: 'a' });
    expect(shown(run.complete('a-fix-1'))).toEqual([
      'a-fix-1: in_progress -> complete',
      'a: failed -> complete',
      'b: blocked -> pending',
      'c: blocked -> pending',
    ]);
    expect(run.startReady()).toEqual(['b']);
  });

  it('skips an optional stream only when the failure before it is final', () => {
    verifies('stream.skip.optional');
    const run = scheduler([stream('a'), stream('b', { deps: ['a'], optional: true })]);
    run.startReady();
    expect(shown(run.fail('a', { id: 'a-fix-1' }))).toContain('b: pending -> blocked');
    run.startReady();
    expect(shown(run.fail('a-fix-1'))).toEqual([
      'a-fix-1: in_progress -> failed',
      'b: blocked -> skipped',
    ]);
    expect(run.isOver()).toBe(true);
  });

  it('takes a stream that the user skipped for done', () => {
    verifies('stream.skip.user');
    const run = scheduler([stream('a'), stream('b', { deps: ['a'] })]);
    expect(shown(run.skip('a'))).toEqual(['a: pending -> skipped']);
    expect(run.startReady()).toEqual(['b']);
    run.complete('b');
    expect(run.skip('b')).toEqual([]);
  });

  it('lets two writers of one file run one after the other, even when the first failed', () => {
    verifies('manifest.owns.planning');
    const run = scheduler([stream('a'), stream('b', { after: ['a'] })]);
    expect(run.startReady()).toEqual(['a']);
    run.fail('a', { id: 'a-fix-1' });
    expect(run.startReady()).toEqual(['a-fix-1']);
    run.fail('a-fix-1');
    expect(run.startReady()).toEqual(['b']);
  });

  it('holds a stream back while one that it would collide with runs', () => {
    const run = createScheduler({
      streams: [stream('a'), stream('b')],
      concurrency: 8,
      conflicts: () => true,
    });
    expect(run.startReady()).toEqual(['a']);
    expect(run.isOver()).toBe(false);
    run.complete('a');
    expect(run.startReady()).toEqual(['b']);
  });

  it('keeps to the limit of a lane, and to a limit that was lowered', () => {
    const run = createScheduler({
      streams: [stream('a'), stream('b'), stream('c', { lane: 'other' })],
      concurrency: 8,
      laneLimits: new Map([['sim', 1]]),
    });
    expect(run.startReady()).toEqual(['a', 'c']);
    run.setConcurrency(1);
    run.complete('a');
    expect(run.startReady()).toEqual([]);
    run.complete('c');
    expect(run.startReady()).toEqual(['b']);
  });

  it('lets another one start when one needs its place no longer, but not what waits for it', () => {
    const run = scheduler([stream('a'), stream('b', { deps: ['a'] }), stream('c')], 1);
    expect(run.startReady()).toEqual(['a']);
    run.freePlace('a');
    expect(run.startReady()).toEqual(['c']);
    expect(run.running()).toEqual(['a', 'c']);
    run.complete('a');
    expect(run.startReady()).toEqual([]);
    run.complete('c');
    expect(run.startReady()).toEqual(['b']);
  });

  it('starts a stream again that could not be tried', () => {
    const run = scheduler([stream('a')]);
    run.startReady();
    run.postpone('a');
    expect(run.startReady()).toEqual(['a']);
    expect(run.stream('a').attempts).toBe(2);
    run.postpone('a', { isCounted: false });
    expect(run.stream('a').attempts).toBe(1);
  });
});

interface World {
  streams: RunStream[];
  concurrency: number;
  /** What each start comes to, in turn. */
  outcomes: ('complete' | 'fail')[];
  /** Which of the running ends next, as a fraction. */
  picks: number[];
}

const anyWorld: fc.Arbitrary<World> = fc.integer({ min: 1, max: 14 }).chain((count) =>
  fc.record({
    streams: fc.tuple(...Array.from({ length: count }, (_, i) => anyStream(i))),
    concurrency: fc.integer({ min: 1, max: 4 }),
    outcomes: fc.array(fc.constantFrom('complete', 'complete', 'fail'), {
      minLength: 60,
      maxLength: 60,
    }),
    picks: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), {
      minLength: 60,
      maxLength: 60,
    }),
  }),
);

function anyStream(index: number): fc.Arbitrary<RunStream> {
  const earlier: fc.Arbitrary<number[]> =
    index === 0
      ? fc.constant([])
      : fc.uniqueArray(fc.integer({ min: 0, max: index - 1 }), { maxLength: 3 });
  return fc
    .record({
      deps: earlier,
      after: earlier,
      weight: fc.integer({ min: 1, max: 9 }),
      optional: fc.boolean(),
    })
    .map(({ deps, after, ...rest }) =>
      stream(`s${index}`, {
        ...rest,
        deps: deps.map((number) => `s${number}`),
        after: after.map((number) => `s${number}`),
      }),
    );
}

const MAX_ATTEMPTS = 3;

describe('S1 any run of any streams', () => {
  it('keeps every promise of the scheduler and comes to an end', () => {
    verifies('stream.fix.attempts', 'stream.status.values');
    fc.assert(
      fc.property(anyWorld, ({ streams, concurrency, outcomes, picks }) => {
        const run = scheduler(streams, concurrency);
        const rootOf = (id: string) => run.stream(id).root ?? id;
        for (let step = 0; ; step++) {
          for (const id of run.startReady()) {
            for (const dep of run.stream(id).deps) {
              expect(run.stream(dep).status, `${id} started before ${dep}`).toBe('complete');
            }
            for (const earlier of run.stream(id).after) {
              expect(['pending', 'in_progress']).not.toContain(run.stream(earlier).status);
            }
          }
          const active = run.running();
          expect(active.length).toBeLessThanOrEqual(concurrency);
          if (active.length < concurrency) expect(run.startReady()).toEqual([]);
          checkStates(run, streams);
          if (active.length === 0) break;
          expect(step, 'it does not end').toBeLessThan(60);
          const id = active[Math.floor(picks[step]! * active.length)]!;
          if (outcomes[step] === 'complete') run.complete(id);
          else {
            const root = run.stream(rootOf(id));
            expect(root.attempts).toBeLessThanOrEqual(MAX_ATTEMPTS);
            expect(root.root, 'a fix of a fix').toBeUndefined();
            const fix = { id: `${root.id}-fix-${root.attempts}` };
            run.fail(id, root.attempts < MAX_ATTEMPTS ? fix : undefined);
          }
        }
        expect(run.isOver()).toBe(true);
        for (const { id } of streams) expect(run.stream(id).status).not.toBe('pending');
      }),
      { numRuns: effort(400) },
    );
  });
});

/** Blocked or skipped is exactly what has a failed stream somewhere before it. */
function checkStates(run: Scheduler, streams: readonly RunStream[]): void {
  const isBehindFailure = new Map<string, boolean>();
  for (const { id, deps } of streams) {
    const behind = deps.some(
      (dep) => run.stream(dep).status === 'failed' || isBehindFailure.get(dep)!,
    );
    isBehindFailure.set(id, behind);
    const { status } = run.stream(id);
    expect(status === 'blocked' || status === 'skipped', `${id} is ${status}`).toBe(behind);
  }
}
