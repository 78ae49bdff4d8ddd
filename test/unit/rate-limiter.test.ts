import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LONG_WAIT_MS, createRateLimiter } from '../../src/engine/rate-limiter.ts';
import type { RateLimiter, Permit } from '../../src/engine/rate-limiter.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Queryable } from '../../src/store/postgres/db.ts';
import { createNotifyCarrier } from '../../src/store/postgres/signal-carriers.ts';
import { readNotification } from '../../src/store/postgres/signal-notify.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import type { Signals } from '../../src/store/postgres/signals.ts';

const open: RateLimiter[] = [];
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  for (const rateLimiter of open.splice(0)) rateLimiter.close();
  vi.useRealTimers();
});

/** Nodes whose notifications reach each other as PostgreSQL would carry them. */
function nodes(count: number): RateLimiter[] {
  const all: Signals[] = [];
  const db: Queryable = {
    async query(_statement, values = []) {
      const [channels, payloads] = values as [string[], string[]];
      channels.forEach((channel, i) => {
        const signal = readNotification({ channel, payload: payloads[i]! });
        if (signal) for (const signals of all) signals.receive(signal.originId, signal.message);
      });
      return { rows: [], rowCount: 0 };
    },
  };
  return Array.from({ length: count }, (_, n) => {
    const signals = createSignals({
      originId: `node-${n}`,
      db,
      carrier: createNotifyCarrier({ db }),
      onError: (error) => {
        throw error;
      },
    });
    all.push(signals);
    const rateLimiter = createRateLimiter({ clock: systemClock, signals });
    open.push(rateLimiter);
    return rateLimiter;
  });
}

const one = () => nodes(1)[0]!;
const never = new AbortController().signal;

/** Asks to enter and shows, at any time, whether that was granted. */
function knock(rateLimiter: RateLimiter, key = 'k', signal: AbortSignal = never) {
  const call: { permit: Permit | undefined; settled: boolean } = {
    permit: undefined,
    settled: false,
  };
  void rateLimiter.enter(key, signal).then((permit) => {
    call.permit = permit;
    call.settled = true;
  });
  return call;
}
const soon = () => vi.advanceTimersByTimeAsync(0);
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const inside = (calls: { permit: Permit | undefined }[]) =>
  calls.map(({ permit }) => permit !== undefined);

async function knockMany(rateLimiter: RateLimiter, count: number, key = 'k') {
  const calls = Array.from({ length: count }, () => knock(rateLimiter, key));
  await soon();
  return calls;
}

/** A rate limiter that has learned that `limit` calls fit, with none under way and no pause left. */
async function limitedTo(limit: number, rateLimiter = one()): Promise<RateLimiter> {
  const calls = await knockMany(rateLimiter, limit + 1);
  calls[limit]!.permit!.turnedAway(undefined);
  for (const { permit } of calls.slice(0, limit)) permit!.done('failed');
  await after(500);
  return rateLimiter;
}

describe('how many calls of a key run at a time', () => {
  it('has no limit until the vendor shows one', async () => {
    expect((await knockMany(one(), 500)).every(({ permit }) => permit)).toBe(true);
  });

  it('is learned from those under way when one is turned away', async () => {
    const rateLimiter = one();
    const calls = await knockMany(rateLimiter, 5);
    for (const { permit } of calls.slice(3)) permit!.turnedAway(100);
    await after(500);
    const more = await knockMany(rateLimiter, 2);
    expect(inside(more)).toEqual([false, false]);
    calls[0]!.permit!.done('failed');
    await soon();
    expect(inside(more)).toEqual([true, false]);
  });

  it('is one at the least', async () => {
    const rateLimiter = one();
    for (const { permit } of await knockMany(rateLimiter, 4)) permit!.turnedAway(undefined);
    await after(500);
    expect(inside(await knockMany(rateLimiter, 3))).toEqual([true, false, false]);
  });

  it('grows by one for each full round that went well', async () => {
    const rateLimiter = await limitedTo(2);
    for (const limit of [2, 3, 4]) {
      const calls = await knockMany(rateLimiter, limit + 1);
      expect(inside(calls)).toEqual([...Array<boolean>(limit).fill(true), false]);
      for (const { permit } of calls.slice(0, limit)) permit!.done('fine');
      await soon();
      calls[limit]!.permit!.done('failed');
    }
  });

  it('does not grow by calls that failed', async () => {
    const rateLimiter = await limitedTo(2);
    for (let round = 0; round < 5; round++) {
      for (const { permit } of await knockMany(rateLimiter, 2)) permit!.done('failed');
    }
    expect(inside(await knockMany(rateLimiter, 3))).toEqual([true, true, false]);
  });

  it('starts its round anew when a call is turned away', async () => {
    const rateLimiter = await limitedTo(4);
    const calls = await knockMany(rateLimiter, 6);
    calls[0]!.permit!.done('fine');
    calls[1]!.permit!.done('fine');
    await soon();
    calls[2]!.permit!.turnedAway(undefined);
    await after(1000);
    // Three is the limit now, and of its round only this one went well.
    calls[3]!.permit!.done('fine');
    expect(inside(await knockMany(rateLimiter, 2))).toEqual([true, false]);
  });

  it('is kept by each key for itself', async () => {
    const rateLimiter = await limitedTo(1);
    expect(inside(await knockMany(rateLimiter, 2))).toEqual([true, false]);
    expect(inside(await knockMany(rateLimiter, 20, 'other'))).not.toContain(false);
  });
});

describe('a pause', () => {
  it('lasts as long as the vendor asked for', async () => {
    const rateLimiter = one();
    (await knockMany(rateLimiter, 1))[0]!.permit!.turnedAway(7000);
    expect(rateLimiter.pauseMs('k')).toBe(7000);
    const [waiting] = await knockMany(rateLimiter, 1);
    await after(6999);
    expect(waiting!.settled).toBe(false);
    await after(1);
    expect(waiting!.permit).toBeDefined();
    expect(rateLimiter.pauseMs('k')).toBe(0);
  });

  it('does not hold up other keys', async () => {
    const rateLimiter = one();
    (await knockMany(rateLimiter, 1))[0]!.permit!.turnedAway(7000);
    expect(rateLimiter.pauseMs('other')).toBe(0);
    expect(inside(await knockMany(rateLimiter, 1, 'other'))).toEqual([true]);
  });

  it('is not shortened by a later answer that asks for less', async () => {
    const rateLimiter = one();
    const calls = await knockMany(rateLimiter, 2);
    calls[0]!.permit!.turnedAway(7000);
    calls[1]!.permit!.turnedAway(1000);
    expect(rateLimiter.pauseMs('k')).toBe(7000);
  });

  it('that is made longer meanwhile holds those who wait already', async () => {
    const rateLimiter = one();
    const calls = await knockMany(rateLimiter, 2);
    calls[0]!.permit!.turnedAway(1000);
    const waiting = knock(rateLimiter);
    await after(900);
    calls[1]!.permit!.turnedAway(5000);
    await after(4999);
    expect(waiting.settled).toBe(false);
    await after(1);
    expect(waiting.permit).toBeDefined();
  });

  it('doubles while nothing goes well and the vendor names no time, up to a minute', async () => {
    const rateLimiter = one();
    const pauses: number[] = [];
    for (let i = 0; i < 9; i++) {
      await after(pauses.at(-1) ?? 0);
      (await knockMany(rateLimiter, 1))[0]!.permit!.turnedAway(undefined);
      pauses.push(rateLimiter.pauseMs('k'));
    }
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('begins small again after a call that went well', async () => {
    const rateLimiter = one();
    for (const ms of [500, 1000]) {
      const call = knock(rateLimiter);
      await after(500);
      await after(500);
      call.permit!.turnedAway(undefined);
      expect(rateLimiter.pauseMs('k')).toBe(ms);
    }
    const good = knock(rateLimiter);
    await after(1000);
    good.permit!.done('fine');
    (await knockMany(rateLimiter, 1))[0]!.permit!.turnedAway(undefined);
    expect(rateLimiter.pauseMs('k')).toBe(500);
  });

  it('counts calls that left together as one', async () => {
    const rateLimiter = one();
    for (const { permit } of await knockMany(rateLimiter, 20)) permit!.turnedAway(undefined);
    expect(rateLimiter.pauseMs('k')).toBe(500);
  });

  it('is told to other nodes that use the key', async () => {
    const [here, there] = nodes(2) as [RateLimiter, RateLimiter];
    const [busy] = await knockMany(there, 1);
    (await knockMany(here, 1))[0]!.permit!.turnedAway(7000);
    await after(10);
    expect(there.pauseMs('k')).toBeGreaterThan(6900);
    expect(there.pauseMs('other')).toBe(0);
    const waiting = knock(there);
    busy!.permit!.done('fine');
    await after(5000);
    expect(waiting.settled).toBe(false);
    await after(2100);
    expect(waiting.permit).toBeDefined();
  });

  it('leaves the limit of other nodes alone', async () => {
    const [here, there] = nodes(2) as [RateLimiter, RateLimiter];
    await knockMany(there, 1);
    (await knockMany(here, 1))[0]!.permit!.turnedAway(100);
    await after(1000);
    expect(inside(await knockMany(there, 20))).not.toContain(false);
    expect(inside(await knockMany(here, 2))).toEqual([true, false]);
  });

  it('of an hour is remembered, though the key is not used meanwhile', async () => {
    const rateLimiter = one();
    (await knockMany(rateLimiter, 1))[0]!.permit!.turnedAway(3_600_000);
    await after(3_000_000);
    expect(rateLimiter.pauseMs('k')).toBe(600_000);
  });

  it('that is longer than a slot should wait sends everybody away who waits', async () => {
    const rateLimiter = one();
    const calls = await knockMany(rateLimiter, 2);
    calls[0]!.permit!.turnedAway(1000);
    const early = knock(rateLimiter);
    await soon();
    expect(early.settled).toBe(false);
    calls[1]!.permit!.turnedAway(90 * 86_400_000);
    const late = knock(rateLimiter);
    await soon();
    for (const call of [early, late]) expect(call).toEqual({ permit: undefined, settled: true });
  });

  it('of that length is heeded by those who wait on another node, too', async () => {
    const [here, there] = nodes(2) as [RateLimiter, RateLimiter];
    await limitedTo(1, there);
    await knockMany(there, 1);
    const waiting = knock(there);
    (await knockMany(here, 1))[0]!.permit!.turnedAway(60_000);
    await after(10);
    expect(waiting).toEqual({ permit: undefined, settled: true });
  });
});

describe('those who wait', () => {
  it('go in the order in which they came', async () => {
    const rateLimiter = await limitedTo(1);
    const order: number[] = [];
    const [first] = await knockMany(rateLimiter, 1);
    const entered = [1, 2, 3].map(async (n) => {
      const permit = await rateLimiter.enter('k', never);
      order.push(n);
      permit!.done('failed');
    });
    first!.permit!.done('failed');
    await soon();
    await Promise.all(entered);
    expect(order).toEqual([1, 2, 3]);
  });

  it('leave when their signal aborts, and the next one moves up', async () => {
    const rateLimiter = await limitedTo(1);
    const [first] = await knockMany(rateLimiter, 1);
    const cancel = new AbortController();
    const second = knock(rateLimiter, 'k', cancel.signal);
    const third = knock(rateLimiter);
    cancel.abort();
    await soon();
    expect(second).toEqual({ permit: undefined, settled: true });
    expect(third.settled).toBe(false);
    first!.permit!.done('failed');
    await soon();
    expect(third.permit).toBeDefined();
  });

  it('do not take a place when they were cancelled before they came', async () => {
    const rateLimiter = await limitedTo(1);
    expect(await rateLimiter.enter('k', AbortSignal.abort())).toBeUndefined();
    expect(inside(await knockMany(rateLimiter, 1))).toEqual([true]);
  });

  it('can leave during a pause', async () => {
    const rateLimiter = one();
    (await knockMany(rateLimiter, 1))[0]!.permit!.turnedAway(10_000);
    const cancel = new AbortController();
    const waiting = knock(rateLimiter, 'k', cancel.signal);
    await after(1000);
    cancel.abort();
    await soon();
    expect(waiting).toEqual({ permit: undefined, settled: true });
  });
});

type Step =
  | { kind: 'knock' | 'abort' }
  | { kind: 'done'; fine: boolean; which: number }
  | { kind: 'away'; ms: number | undefined; which: number }
  | { kind: 'pass'; ms: number };

const which = fc.nat();
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Step>({ kind: 'knock' }) },
  fc.constant<Step>({ kind: 'abort' }),
  fc.record({ kind: fc.constant('done' as const), fine: fc.boolean(), which }),
  fc.record({
    kind: fc.constant('away' as const),
    ms: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
    which,
  }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 3000 }) }),
);

/** Plays the steps and keeps its own account of what may be allowed. */
async function play(steps: Step[]): Promise<void> {
  const rateLimiter = one();
  const active: Permit[] = [];
  const waiting = new Map<number, AbortController>();
  let limit = Infinity;
  let quietUntil = 0;
  let fine = 0;
  let last = 0;
  const arrive = () => {
    const number = ++last;
    const cancel = new AbortController();
    waiting.set(number, cancel);
    void rateLimiter.enter('k', cancel.signal).then((permit) => {
      const [first] = waiting.keys();
      waiting.delete(number);
      if (permit === undefined) {
        const long = rateLimiter.pauseMs('k') > LONG_WAIT_MS;
        expect(cancel.signal.aborted || long).toBe(true);
        return;
      }
      expect(number).toBe(first);
      active.push(permit);
      expect(active.length).toBeLessThanOrEqual(limit);
      expect(Date.now()).toBeGreaterThanOrEqual(quietUntil);
    });
  };
  const leave = (which: number) => active.splice(which % active.length, 1)[0]!;
  for (const next of steps) {
    if (next.kind === 'knock') arrive();
    if (next.kind === 'abort') [...waiting.values()].at(-1)?.abort();
    if (next.kind === 'pass') await after(next.ms);
    if (next.kind === 'done' && active.length > 0) {
      const permit = leave(next.which);
      if (next.fine && ++fine >= limit) [limit, fine] = [limit + 1, 0];
      permit.done(next.fine ? 'fine' : 'failed');
    }
    if (next.kind === 'away' && active.length > 0) {
      const permit = leave(next.which);
      [limit, fine] = [Math.max(1, Math.min(limit, active.length)), 0];
      quietUntil = Math.max(quietUntil, Date.now() + (next.ms ?? 0));
      permit.turnedAway(next.ms);
    }
    await soon();
  }
  // Whatever happened: when calls end, everybody gets in or is told to come back.
  for (let round = 0; waiting.size > 0 && round < 10 * steps.length; round++) {
    for (const permit of active.splice(0)) permit.done('failed');
    await after(60_000);
  }
  expect(waiting.size).toBe(0);
  rateLimiter.close();
}

describe('whatever happens', () => {
  it('never are more inside than fit, nobody overtakes, and nobody waits for ever', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), play), { numRuns: 200 });
  });
});
