import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextPlace, reservedSlots } from '../../src/domain/job/fair-queue.ts';

const times = fc.nat({ max: 1_000_000 });

it('the first job of a team is at the clock, later ones one behind the other', () => {
  fc.assert(
    fc.property(times, times, (clock, finish) => {
      expect(nextPlace(clock, 0)).toBe(clock);
      expect(nextPlace(clock, finish)).toBe(Math.max(clock, finish));
    }),
  );
});

it('a node keeps an eighth of its slots for teams that have none, at least one, never the only one', () => {
  expect([1, 2, 7, 8, 16, 256].map(reservedSlots)).toEqual([0, 1, 1, 1, 2, 32]);
});
