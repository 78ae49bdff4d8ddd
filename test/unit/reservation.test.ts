import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCovered, remainingUsd, reserve } from '../../src/domain/usage/reservation.ts';
import type { Budget, Reservation } from '../../src/domain/usage/reservation.ts';

const budgetOf = (limitUsd: number | null, spentUsd = 0): Budget => ({
  limitUsd,
  spentUsd,
  reservedUsd: 0,
});

/** Cents, and amounts whose sums are not exact. */
const usd = fc.oneof(
  fc.integer({ min: 0, max: 500 }).map((cents) => cents / 100),
  fc.double({ min: 0, max: 5, noNaN: true }),
);

const step = fc.oneof(
  fc.record({ kind: fc.constant('reserve' as const), usd }),
  fc.record({
    kind: fc.constant('settle' as const),
    at: fc.nat(),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('release' as const), at: fc.nat() }),
);

describe('a reservation', () => {
  it('takes its amount from what remains until it is settled with the cost', () => {
    const budget = budgetOf(10, 2);
    const reservation = reserve(budget, 5)!;
    expect(reservation.amountUsd).toBe(5);
    expect(remainingUsd(budget)).toBe(3);
    reservation.settle(1);
    expect(budget).toEqual({ limitUsd: 10, spentUsd: 3, reservedUsd: 0 });
  });

  it('spends nothing when it is released', () => {
    const budget = budgetOf(10, 2);
    reserve(budget, 5)!.release();
    expect(budget).toEqual(budgetOf(10, 2));
  });

  it.each([
    ['settle, settle', (one: Reservation) => (one.settle(1), one.settle(4)), 1],
    ['settle, release', (one: Reservation) => (one.settle(1), one.release()), 1],
    ['release, settle', (one: Reservation) => (one.release(), one.settle(4)), 0],
  ])('counts once: %s', (_name, close, spentUsd) => {
    const budget = budgetOf(10);
    const other = reserve(budget, 2)!;
    close(reserve(budget, 5)!);
    expect(budget).toEqual({ limitUsd: 10, spentUsd, reservedUsd: other.amountUsd });
  });

  it('is refused, and takes nothing, when it could pass the limit', () => {
    const budget = budgetOf(10, 6);
    reserve(budget, 3);
    expect(reserve(budget, 1.01)).toBeUndefined();
    expect(budget.reservedUsd).toBe(3);
    expect(reserve(budget, 1)).toBeDefined();
  });

  it('fits when only the last digit of a sum is above the limit', () => {
    const budget = budgetOf(0.3);
    reserve(budget, 0.1);
    expect(0.1 + 0.2).toBeGreaterThan(0.3);
    expect(reserve(budget, 0.2)).toBeDefined();
  });

  it('of nothing fits even where more was spent than the limit allows', () => {
    expect(reserve(budgetOf(1, 5), 0)).toBeDefined();
    expect(reserve(budgetOf(1, 5), 0.01)).toBeUndefined();
  });

  it('of an unknown price is covered by no limit, and reserves nothing without one', () => {
    expect(reserve(budgetOf(1_000_000), null)).toBeUndefined();
    expect(isCovered(budgetOf(0), null)).toBe(false);
    expect(reserve(budgetOf(null), null)?.amountUsd).toBe(0);
  });

  it('counts an unknown cost as the whole amount', () => {
    const budget = budgetOf(10);
    reserve(budget, 4)!.settle(null);
    expect(budget).toEqual(budgetOf(10, 4));
  });

  it('that cost more than its amount is spent in full, and leaves less than nothing', () => {
    const budget = budgetOf(10);
    reserve(budget, 10)!.settle(12);
    expect(remainingUsd(budget)).toBe(-2);
    expect(reserve(budget, 0.01)).toBeUndefined();
  });

  it('keeps every sum, whatever comes in which order', () => {
    fc.assert(
      fc.property(fc.option(usd, { nil: null }), fc.array(step), (limitUsd, steps) => {
        const budget = budgetOf(limitUsd);
        const made: { reservation: Reservation; spentUsd: number | undefined }[] = [];
        for (const each of steps) {
          if (each.kind === 'reserve') {
            const reservation = reserve(budget, each.usd);
            if (reservation) made.push({ reservation, spentUsd: undefined });
          } else if (made.length > 0) {
            const one = made[each.at % made.length]!;
            const spentUsd = each.kind === 'settle' ? one.reservation.amountUsd * each.share : 0;
            if (each.kind === 'settle') one.reservation.settle(spentUsd);
            else one.reservation.release();
            one.spentUsd ??= spentUsd;
          }
          const open = made.filter((one) => one.spentUsd === undefined);
          const reserved = open.reduce((sum, one) => sum + one.reservation.amountUsd, 0);
          const spent = made.reduce((sum, one) => sum + (one.spentUsd ?? 0), 0);
          expect(budget.reservedUsd).toBeGreaterThanOrEqual(0);
          expect(budget.reservedUsd).toBeCloseTo(reserved, 9);
          expect(budget.spentUsd).toBeCloseTo(spent, 9);
          // No call costs more than was reserved here, so the limit holds.
          if (limitUsd !== null) expect(remainingUsd(budget)).toBeGreaterThan(-1e-6);
        }
      }),
    );
  });
});
