import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  HIGHEST_PRIORITY,
  LOWEST_PRIORITY,
  assignVirtualTimes,
  exchangePlaces,
  reservedSlots,
} from '../../src/domain/job/fair-queue.ts';
import type { WaitingJob } from '../../src/domain/job/fair-queue.ts';

const times = fc.nat({ max: 1_000_000 });
const counts = fc.nat({ max: 50 });

describe('assignVirtualTimes', () => {
  it('starts the first job of a new user at the clock', () => {
    fc.assert(
      fc.property(times, (clock) => {
        expect(assignVirtualTimes(clock, 0, 1).starts).toEqual([clock]);
      }),
    );
  });

  it('puts the jobs of a user one behind the other, never before the clock', () => {
    fc.assert(
      fc.property(times, times, counts, (clock, finish, jobs) => {
        const { starts, finishTime } = assignVirtualTimes(clock, finish, jobs);
        expect(starts).toHaveLength(jobs);
        expect(finishTime).toBeGreaterThanOrEqual(finish);
        starts.forEach((start, index) => {
          expect(start).toBeGreaterThanOrEqual(Math.max(clock, finish));
          if (index > 0) expect(start).toBe(starts[index - 1]! + 1);
        });
      }),
    );
  });

  it('gives the same times one by one as in a batch', () => {
    fc.assert(
      fc.property(times, times, counts, (clock, finish, jobs) => {
        let finishTime = finish;
        const starts = Array.from({ length: jobs }, () => {
          const one = assignVirtualTimes(clock, finishTime, 1);
          ({ finishTime } = one);
          return one.starts[0];
        });
        expect(assignVirtualTimes(clock, finish, jobs)).toEqual({ starts, finishTime });
      }),
    );
  });

  it('spreads a backlog, so that another user waits behind one job and not behind all', () => {
    const backlog = assignVirtualTimes(0, 0, 10_000);
    const other = assignVirtualTimes(0, 0, 1);
    expect(backlog.starts.filter((start) => start <= other.starts[0]!)).toHaveLength(1);
  });
});

describe('exchangePlaces', () => {
  const job = fc.record({
    teamId: fc.constantFrom('ann', 'bob', 'eve'),
    priority: fc.integer({ min: LOWEST_PRIORITY, max: HIGHEST_PRIORITY }),
  });
  const jobs = (prefix: string) =>
    fc
      .array(job, { maxLength: 20 })
      .map((list) => list.map((one, index): WaitingJob => ({ id: `${prefix}${index}`, ...one })));

  it('starts the most urgent jobs of each user, and as many of each as before', () => {
    fc.assert(
      fc.property(jobs('f'), jobs('w'), (fetched, waiting) => {
        const exchanges = exchangePlaces(fetched, waiting);
        const given = new Set(exchanges.map(({ give }) => give));
        const wanted = new Set(exchanges.map(({ want }) => want));
        const all = [...fetched, ...waiting];
        const started = [
          ...fetched.filter(({ id }) => !given.has(id)),
          ...waiting.filter(({ id }) => wanted.has(id)),
        ];
        for (const user of ['ann', 'bob', 'eve']) {
          const own = (list: readonly WaitingJob[]) => list.filter((one) => one.teamId === user);
          const best = own(all)
            .map(({ priority }) => priority)
            .sort((a, b) => b - a)
            .slice(0, own(fetched).length);
          const got = own(started).map(({ priority }) => priority);
          expect(got.sort((a, b) => b - a)).toEqual(best);
        }
      }),
    );
  });

  it('lets the older of two jobs go first that are as urgent', () => {
    const at = (id: string, priority: number): WaitingJob => ({ id, teamId: 'ann', priority });
    expect(exchangePlaces([at('a', 0)], [at('b', 0)])).toEqual([]);
    expect(exchangePlaces([at('b', 0)], [at('a', 0)])).toEqual([{ give: 'b', want: 'a' }]);
    expect(exchangePlaces([at('a', 0), at('b', -1)], [at('c', 5), at('d', 1)])).toEqual([
      { give: 'b', want: 'c' },
      { give: 'a', want: 'd' },
    ]);
  });
});

it('a node keeps an eighth of its slots for users who have none, at least one, never the only one', () => {
  expect([1, 2, 7, 8, 16, 256].map(reservedSlots)).toEqual([0, 1, 1, 1, 2, 32]);
});
