// Who charges for plans on this server: nobody, or Stripe.
import type { Config } from '../config/config.ts';
import { freeTier } from '../domain/billing/plan-change.ts';
import { createBillingService } from '../services/billing/billing.ts';
import { createManualBilling } from '../services/billing/manual-billing.ts';
import type { StripeApi } from '../services/billing/stripe-api.ts';
import { createStripeBilling } from '../services/billing/stripe-billing.ts';
import { createStripeSync } from '../services/billing/stripe-sync.ts';
import type { StripeSync } from '../services/billing/stripe-sync.ts';
import type { Parts } from './parts.ts';

export interface StripeParts {
  api: StripeApi;
  sync: StripeSync;
}

/** Stripe's package takes a while to load: only where it is used. */
export async function stripeParts(
  config: Config,
  parts: Pick<Parts, 'db' | 'signals' | 'log'>,
  publicUrl: () => string,
): Promise<StripeParts | undefined> {
  const { stripe } = config;
  if (stripe === undefined) return undefined;
  const { createStripeApi } = await import('../services/billing/stripe-api.ts');
  const api = createStripeApi({ ...stripe, returnUrl: () => stripe.returnUrl ?? publicUrl() });
  const free = freeTier(config.defaultTier);
  const { prices } = stripe;
  return { api, sync: createStripeSync({ ...parts, api, prices, free }) };
}

export function billingServices(config: Config, parts: Parts, stripe: StripeParts | undefined) {
  const free = freeTier(config.defaultTier);
  const manual = createManualBilling({ ...parts, free });
  const provider = stripe
    ? createStripeBilling({ ...parts, ...stripe, prices: config.stripe!.prices, free, manual })
    : manual;
  return {
    billing: createBillingService({ ...parts, provider }),
    stripe: stripe?.sync,
  };
}
