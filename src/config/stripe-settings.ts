// The settings of a server that charges for plans with Stripe: part of the table in settings.ts.
import { z } from 'zod';
import { TIER_NAMES, isTier } from '../domain/job/tiers.ts';
import type { Tier } from '../domain/job/tiers.ts';
import { httpUrl } from './setting-values.ts';

const prices = z.string().transform((text, context) => {
  const found: Record<string, Tier> = {};
  for (const pair of text.split(',')) {
    const [tier = '', price = '', ...rest] = pair.split('=').map((part) => part.trim());
    const isPair = isTier(tier) && tier !== 'enterprise' && price !== '' && rest.length === 0;
    if (!isPair || Object.hasOwn(found, price)) {
      context.addIssue(
        `must be tiers with their price ids, such as pro=price_1,team=price_2; "${pair}" is not (${TIER_NAMES.slice(0, -1).join(', ')})`,
      );
      return z.NEVER;
    }
    found[price] = tier;
  }
  return found;
});

export const STRIPE_SETTINGS = {
  stripeKey: {
    env: 'MILLRACE_STRIPE_KEY',
    unset: 'none (plans are changed without payment)',
    description: 'Secret key of your Stripe account. Teams then pay for plans with Stripe.',
    schema: z.string().min(1),
  },
  stripeWebhookSecret: {
    env: 'MILLRACE_STRIPE_WEBHOOK_SECRET',
    unset: 'none',
    description:
      'Signing secret (`whsec_...`) of the Stripe webhook for `/api/v1/billing/stripe/webhook`.',
    schema: z.string().min(1),
  },
  stripePrices: {
    env: 'MILLRACE_STRIPE_PRICES',
    unset: 'none',
    description: 'Stripe price of each tier for sale: `pro=price_...,team=price_...`.',
    schema: prices,
  },
  stripeReturnUrl: {
    env: 'MILLRACE_STRIPE_RETURN_URL',
    unset: 'the address of this server',
    description: 'Where Stripe sends people after a payment or from the billing portal.',
    schema: httpUrl,
  },
  stripeApiUrl: {
    env: 'MILLRACE_STRIPE_API_URL',
    unset: "Stripe's own",
    description: 'Address of the Stripe API, for a proxy or for tests.',
    schema: httpUrl,
  },
} as const;

export interface StripeConfig {
  key: string;
  webhookSecret: string;
  /** Tier of each price id. */
  prices: Readonly<Record<string, Tier>>;
  returnUrl: string | undefined;
  apiUrl: string | undefined;
  /** Of one request; no setting. */
  timeoutMs: number;
}

const TIMEOUT_MS = 8000;

/** Undefined where Stripe is not used; a key alone is not enough. */
export function stripeConfig(values: {
  stripeKey: string | undefined;
  stripeWebhookSecret: string | undefined;
  stripePrices: Readonly<Record<string, Tier>> | undefined;
  stripeReturnUrl: string | undefined;
  stripeApiUrl: string | undefined;
}): StripeConfig | undefined {
  const { stripeKey: key, stripeWebhookSecret: webhookSecret, stripePrices } = values;
  if (key === undefined || webhookSecret === undefined || stripePrices === undefined) {
    return undefined;
  }
  const { stripeReturnUrl: returnUrl, stripeApiUrl: apiUrl } = values;
  return { key, webhookSecret, prices: stripePrices, returnUrl, apiUrl, timeoutMs: TIMEOUT_MS };
}

/** What is missing beside the key. */
export function stripeProblems(values: Parameters<typeof stripeConfig>[0]): string[] {
  const { stripeKey, stripeWebhookSecret, stripePrices } = values;
  if (stripeKey === undefined) return [];
  const missing = [
    ...(stripeWebhookSecret === undefined ? [STRIPE_SETTINGS.stripeWebhookSecret.env] : []),
    ...(stripePrices === undefined ? [STRIPE_SETTINGS.stripePrices.env] : []),
  ];
  return missing.map((env) => `${env}: must be set together with ${STRIPE_SETTINGS.stripeKey.env}`);
}
