// Bodies of /v1/billing.
import { z } from 'zod';
import { Timestamp } from './fields.ts';

const TierName = z.enum(['trial', 'pro', 'team', 'enterprise']);

export const ChangeSubscriptionRequest = z
  .object({
    tier: TierName.meta({ description: 'The plan you want from now on' }),
    seats: z
      .int()
      .min(1)
      .max(100_000)
      .optional()
      .meta({ description: 'At least one for each member; unchanged when left out' }),
    cancelAtPeriodEnd: z
      .boolean()
      .optional()
      .meta({ description: 'True cancels the current plan; anything else takes that back' }),
  })
  .meta({ id: 'ChangeSubscriptionRequest' });
export type ChangeSubscriptionRequest = z.infer<typeof ChangeSubscriptionRequest>;

export const Subscription = z
  .object({
    tier: TierName.meta({ description: 'In force now' }),
    status: z.string().meta({
      description: 'active, trialing, past_due, unpaid, incomplete, paused or canceled',
      example: 'active',
    }),
    seats: z.number().int(),
    currentPeriodStart: Timestamp,
    currentPeriodEnd: Timestamp,
    cancelAtPeriodEnd: z.boolean(),
    scheduled: z
      .object({ tier: TierName, at: Timestamp })
      .nullable()
      .meta({ description: 'The tier that comes into force next, if it changes' }),
    quota: z
      .object({
        runsPerMonth: z.number().int().nullable(),
        requestsPerMinute: z.number().int().nullable(),
        concurrentJobs: z.number().int().nullable(),
      })
      .meta({ description: 'Of the tier in force; null for no limit' }),
    provider: z.enum(['manual', 'stripe']).meta({ description: 'Who charges for it' }),
    checkoutUrl: z.string().optional().meta({
      description: 'Pay here; the plan changes once Stripe confirms the payment',
    }),
  })
  .meta({ id: 'Subscription' });
export type Subscription = z.infer<typeof Subscription>;

export const BillingPortal = z
  .object({ url: z.string().meta({ description: 'Works for a short time' }) })
  .meta({ id: 'BillingPortal' });

export const StripeEventReceived = z
  .object({ received: z.literal(true) })
  .meta({ id: 'StripeEventReceived' });
