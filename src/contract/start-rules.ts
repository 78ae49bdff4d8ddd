// What schedules and triggers share: when they may start a run, and why they did not.
import { z } from 'zod';
import { DEFAULT_FAILURES, OVERLAPS, PAUSE_REASONS, SKIP_REASONS } from './start-reasons.ts';

const keysOf = <const T extends object>(table: T) =>
  Object.keys(table) as [keyof T & string, ...(keyof T & string)[]];

export const OverlapRule = z.enum(keysOf(OVERLAPS)).meta({
  description: Object.entries(OVERLAPS)
    .map(([name, text]) => `\`${name}\`: ${text}`)
    .join('. '),
});

export const MonthlyBudget = z.number().positive().max(1_000_000).meta({
  description: 'The most that its runs may spend in a month (UTC), in dollars',
});

export const FailuresInARow = z.number().int().min(1).max(100).meta({
  description: 'Pause after this many runs in a row have failed; null for never',
});

export const StarterStatus = z.enum(['active', 'paused']);

/** The rules in a request; all of them have a default. */
export const NEW_RULES = {
  overlap: OverlapRule.default('skip'),
  budgetUsdPerMonth: MonthlyBudget.nullable().default(null),
  pauseAfterFailures: FailuresInARow.nullable().default(DEFAULT_FAILURES),
  status: StarterStatus.default('active'),
};

export const CHANGED_RULES = {
  overlap: OverlapRule.optional(),
  budgetUsdPerMonth: MonthlyBudget.nullable().optional(),
  pauseAfterFailures: FailuresInARow.nullable().optional(),
  status: StarterStatus.optional().meta({
    description: '`active` also resumes one that was paused for another reason',
  }),
};

export const ShownRules = {
  overlap: OverlapRule,
  budgetUsdPerMonth: MonthlyBudget.nullable(),
  spentUsdThisMonth: z.number().meta({ description: 'What its runs have spent this month' }),
  pauseAfterFailures: FailuresInARow.nullable(),
  status: StarterStatus,
  pausedReason: z
    .enum(keysOf(PAUSE_REASONS))
    .nullable()
    .meta({
      description: Object.entries(PAUSE_REASONS)
        .map(([name, text]) => `\`${name}\`: ${text}`)
        .join('. '),
    }),
};

export const StartReason = z.enum([...keysOf(SKIP_REASONS), ...keysOf(PAUSE_REASONS)]);
export type StartReason = z.infer<typeof StartReason>;

export const StarterOwner = z
  .object({ userId: z.string(), email: z.string(), name: z.string().nullable() })
  .meta({ description: 'Whom its runs act and pay as' });
