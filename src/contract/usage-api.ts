// Bodies of /v1/usage: what a team used, and what it may still use.
import { z } from 'zod';
import { KnownCost, Timestamp } from './fields.ts';

const counted = z.number().int().min(0);

const UsageTokens = z
  .object({ input: counted, output: counted, cachedInput: counted })
  .meta({ id: 'UsageTokens', description: 'cachedInput is part of input' });

const UnknownPrice = z.object({ jobs: counted, calls: counted }).meta({
  id: 'UnknownPrice',
  description: 'Calls without a known price; costUsd leaves them out',
});

const RecordedUsage = z
  .object({
    runs: counted,
    tokens: z.object({ input: counted, output: counted }),
    costUsd: KnownCost,
    unknownPrice: z.object({ calls: counted }),
  })
  .meta({
    id: 'RecordedUsage',
    description:
      'Streams that clients ran themselves, as they recorded them. Not part of the other figures',
  });
export type RecordedUsage = z.infer<typeof RecordedUsage>;

const SimulatedCost = z.number().meta({
  description: 'What simulated models would have cost. Not charged, and not part of costUsd',
});

const sums = {
  jobs: counted.meta({ description: 'Jobs that called a model' }),
  tokens: UsageTokens,
  costUsd: KnownCost,
  simulatedCostUsd: SimulatedCost,
  unknownPrice: UnknownPrice,
};
const withRecorded = { ...sums, recorded: RecordedUsage };

export const UsageSums = z.object(withRecorded).meta({ id: 'UsageSums' });
export type UsageSums = z.infer<typeof UsageSums>;

const UsageBudget = z
  .object({
    limitUsd: z.number().nullable().meta({ description: 'null if the team has no budget' }),
    spentUsd: z
      .number()
      .meta({ description: 'Spent this month: recorded runs included, simulated models not' }),
    reservedUsd: z.number().meta({ description: 'What open jobs may still cost' }),
  })
  .meta({ id: 'UsageBudget' });
export type UsageBudget = z.infer<typeof UsageBudget>;

export const CurrentUsage = z
  .object({
    period: z.string().meta({ example: '2026-11' }),
    periodStart: Timestamp,
    periodEnd: Timestamp,
    tier: z.string(),
    runs: z.object({
      used: counted,
      limit: counted.nullable().meta({ description: 'null if unlimited' }),
      remaining: counted.nullable(),
    }),
    tokens: UsageTokens,
    costUsd: KnownCost,
    simulatedCostUsd: SimulatedCost,
    unknownPrice: UnknownPrice,
    recorded: RecordedUsage,
    executions: z.object({
      total: counted,
      completed: counted,
      failed: counted,
      cancelled: counted,
    }),
    rateLimit: z.object({ requestsPerMinute: counted }),
    budget: UsageBudget,
  })
  .meta({ id: 'CurrentUsage' });
export type CurrentUsage = z.infer<typeof CurrentUsage>;

export const UsageQuery = z.object({
  month: z
    .string()
    .regex(/^(?!0000)\d{4}-(0[1-9]|1[0-2])$/, 'must be a month, such as 2026-11')
    .optional()
    .meta({ description: 'UTC month; this month if omitted', example: '2026-11' }),
  format: z
    .enum(['json', 'csv'])
    .optional()
    .meta({ description: '`csv` for one table; `Accept: text/csv` does the same' }),
});
export type UsageQuery = z.infer<typeof UsageQuery>;

const UsageDay = z
  .object({ date: z.string().meta({ example: '2026-11-16' }), ...withRecorded })
  .meta({ id: 'UsageDay' });
export type UsageDay = z.infer<typeof UsageDay>;

const UsageByModel = z
  .object({ provider: z.string(), model: z.string(), ...sums })
  .meta({ id: 'UsageByModel' });
export type UsageByModel = z.infer<typeof UsageByModel>;

const UsageByMember = z
  .object({
    userId: z.string(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    ...withRecorded,
  })
  .meta({ id: 'UsageByMember' });
export type UsageByMember = z.infer<typeof UsageByMember>;

const UsageByKey = z
  .object({
    keyId: z.string().nullable().meta({ description: 'null for requests without an API key' }),
    name: z.string().nullable(),
    ...withRecorded,
  })
  .meta({ id: 'UsageByKey' });
export type UsageByKey = z.infer<typeof UsageByKey>;

const UsageOfCalls = z
  .object({
    date: z.string().meta({ example: '2026-11-16' }),
    keyId: z.string().nullable(),
    name: z.string().nullable().meta({ description: 'Name of the API key' }),
    ...sums,
    jobs: counted.meta({ description: 'Calls, each of which is a job' }),
  })
  .meta({
    id: 'UsageOfCalls',
    description: 'Calls through the model endpoint that belong to no run, of one key on one day',
  });
export type UsageOfCalls = z.infer<typeof UsageOfCalls>;

export const UsageHistory = z
  .object({
    month: z.string().meta({ example: '2026-11' }),
    totals: UsageSums,
    days: z.array(UsageDay).meta({ description: 'Every day of the month' }),
    byModel: z.array(UsageByModel),
    byMember: z.array(UsageByMember),
    byKey: z.array(UsageByKey),
    callsByKeyAndDay: z.array(UsageOfCalls).meta({
      description: 'Newest day first. Part of the other figures, too',
    }),
  })
  .meta({ id: 'UsageHistory' });
export type UsageHistory = z.infer<typeof UsageHistory>;
