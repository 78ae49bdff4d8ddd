import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  HIGHEST_PRIORITY,
  LOWEST_PRIORITY,
  assignVirtualTimes,
} from '../../src/domain/fair-queue.ts';

const LINES = HIGHEST_PRIORITY - LOWEST_PRIORITY + 1;
const clocks = fc.nat({ max: 1_000_000 });
const priorities = fc.array(fc.integer({ min: LOWEST_PRIORITY, max: HIGHEST_PRIORITY }), {
  maxLength: 50,
});
const finishes = fc.array(fc.nat({ max: 1_000_000 }), { minLength: LINES, maxLength: LINES });

describe('assignVirtualTimes', () => {
  it('starts the first job of a new user at the clock', () => {
    fc.assert(
      fc.property(
        clocks,
        fc.integer({ min: LOWEST_PRIORITY, max: HIGHEST_PRIORITY }),
        (clock, p) => {
          expect(assignVirtualTimes(clock, [], [p]).starts).toEqual([clock]);
        },
      ),
    );
  });

  it('never starts a job before the clock, nor lets a finish time go back', () => {
    fc.assert(
      fc.property(clocks, finishes, priorities, (clock, finish, list) => {
        const { starts, finishTimes } = assignVirtualTimes(clock, finish, list);
        expect(starts).toHaveLength(list.length);
        expect(finishTimes).toHaveLength(LINES);
        for (const start of starts) expect(start).toBeGreaterThanOrEqual(clock);
        finishTimes.forEach((time, line) => expect(time).toBeGreaterThanOrEqual(finish[line]!));
      }),
    );
  });

  it('puts a job behind every earlier job of the same or a higher priority', () => {
    fc.assert(
      fc.property(clocks, finishes, priorities, (clock, finish, list) => {
        const { starts } = assignVirtualTimes(clock, finish, list);
        list.forEach((priority, later) => {
          for (let earlier = 0; earlier < later; earlier++) {
            if (list[earlier]! >= priority) expect(starts[later]).toBeGreaterThan(starts[earlier]!);
          }
        });
      }),
    );
  });

  it('does not make a job wait for those of a lower priority', () => {
    fc.assert(
      fc.property(clocks, priorities, (clock, list) => {
        const busy = assignVirtualTimes(
          clock,
          [],
          list.map((priority) => Math.min(priority, HIGHEST_PRIORITY - 1)),
        );
        const { starts } = assignVirtualTimes(clock, busy.finishTimes, [HIGHEST_PRIORITY]);
        expect(starts).toEqual([clock]);
      }),
    );
  });

  it('gives the same times one by one as in a batch', () => {
    fc.assert(
      fc.property(clocks, finishes, priorities, (clock, finish, list) => {
        let state = finish;
        const starts = list.map((priority) => {
          const one = assignVirtualTimes(clock, state, [priority]);
          state = one.finishTimes;
          return one.starts[0];
        });
        expect(assignVirtualTimes(clock, finish, list)).toEqual({ starts, finishTimes: state });
      }),
    );
  });

  it('spreads a backlog, so that another user waits behind one job and not behind all', () => {
    const backlog = assignVirtualTimes(
      0,
      [],
      Array.from({ length: 10_000 }, () => 0),
    );
    const other = assignVirtualTimes(0, [], [0]);
    const ahead = backlog.starts.filter((start) => start <= other.starts[0]!);
    expect(ahead).toHaveLength(1);
  });

  it('changes nothing that it was given', () => {
    const finish = Object.freeze(Array.from({ length: LINES }, () => 3));
    assignVirtualTimes(0, finish, Object.freeze([0, 1, 2]));
    expect(finish).toEqual(Array.from({ length: LINES }, () => 3));
  });
});
