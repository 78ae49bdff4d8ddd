import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { monthsAfter, periodAt } from '../../src/domain/billing/period.ts';
import { decideChange, freeTier, rankOf } from '../../src/domain/billing/plan-change.ts';
import { TIER_NAMES } from '../../src/domain/job/tiers.ts';
import { effort } from '../support/effort.ts';

const at = (text: string) => new Date(`${text}Z`);
const day = (date: Date) => date.toISOString().slice(0, 10);

describe('a billing period', () => {
  it('that began on the 31st ends on the last day of shorter months, and comes back to the 31st', () => {
    const anchor = at('2027-12-31T22:15:00');
    const days = [1, 2, 3, 4, 5].map((months) => monthsAfter(anchor, months));
    expect(days.map(day)).toEqual([
      '2028-01-31',
      '2028-02-29',
      '2028-03-31',
      '2028-04-30',
      '2028-05-31',
    ]);
    expect(days.every((date) => date.toISOString().endsWith('T22:15:00.000Z'))).toBe(true);
    expect(day(monthsAfter(anchor, 14))).toBe('2029-02-28');
  });

  it('changes at its very moment', () => {
    const anchor = at('2026-01-30T12:00:00');
    const before = periodAt(anchor, at('2026-02-28T11:59:59.999'));
    expect([day(before.start), day(before.end)]).toEqual(['2026-01-30', '2026-02-28']);
    const after = periodAt(anchor, at('2026-02-28T12:00:00'));
    expect([day(after.start), day(after.end)]).toEqual(['2026-02-28', '2026-03-30']);
    expect(periodAt(anchor, at('2025-12-01T00:00:00')).start).toEqual(anchor);
  });

  it('follows on the one before it without a gap, and holds the time it was asked about', () => {
    const date = fc.date({
      min: at('1999-01-01T00:00:00'),
      max: at('2110-01-01T00:00:00'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(
        date,
        fc.nat(1500),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (anchor, n, part) => {
          const [start, end] = [monthsAfter(anchor, n), monthsAfter(anchor, n + 1)];
          const days = (end.getTime() - start.getTime()) / 86_400_000;
          expect(days).toBeGreaterThanOrEqual(28);
          expect(days).toBeLessThanOrEqual(31);
          const now = new Date(
            start.getTime() + Math.floor(part * (end.getTime() - start.getTime())),
          );
          expect(periodAt(anchor, now)).toEqual({ start, end });
        },
      ),
      { numRuns: effort(200) },
    );
  });
});

describe('a change of plan', () => {
  const tier = fc.constantFrom(...TIER_NAMES);
  const plan = fc.record({
    tier,
    seats: fc.integer({ min: 1, max: 9 }),
    members: fc.integer({ min: 1, max: 9 }),
  });
  const request = fc.record(
    { tier, seats: fc.integer({ min: 1, max: 9 }), cancelAtPeriodEnd: fc.boolean() },
    { requiredKeys: ['tier'] },
  );

  it('never takes anything away before the period ends, and never leaves a member without a seat', () => {
    fc.assert(
      fc.property(plan, request, tier, (current, wanted, defaultTier) => {
        const free = freeTier(defaultTier);
        const decision = decideChange(current, wanted, free);
        if (decision.kind === 'refused') return;
        if (wanted.tier === 'enterprise') expect(current.tier).toBe('enterprise');
        expect(rankOf(decision.tier)).toBeGreaterThanOrEqual(rankOf(current.tier));
        expect(decision.seats).toBeGreaterThanOrEqual(current.members);
        // In the end there is what was asked for.
        const last = decision.nextTier ?? decision.tier;
        expect(last).toBe(wanted.cancelAtPeriodEnd === true ? free : wanted.tier);
        // Asking again changes nothing more.
        const again = decideChange({ ...current, ...decision }, wanted, free);
        expect(again).toEqual(decision);
      }),
      { numRuns: effort(300) },
    );
  });

  it('that cancels is taken back by asking for the plan again', () => {
    const current = { tier: 'pro', seats: 2, members: 1 } as const;
    expect(decideChange(current, { tier: 'pro', cancelAtPeriodEnd: true }, 'trial')).toMatchObject({
      tier: 'pro',
      nextTier: 'trial',
      cancelAtPeriodEnd: true,
    });
    expect(decideChange(current, { tier: 'pro' }, 'trial')).toMatchObject({
      tier: 'pro',
      nextTier: null,
      cancelAtPeriodEnd: false,
    });
  });
});
