// The plan of a team.
import type { ChangeSubscriptionRequest, Subscription } from '../contract/billing-api.ts';
import type { CallOptions, Calls } from './calls.ts';

export interface BillingApi {
  subscription(options?: CallOptions): Promise<Subscription>;
  /** More is in force at once, less when the period ends. With `checkoutUrl`, pay there first. */
  change(body: ChangeSubscriptionRequest, options?: CallOptions): Promise<Subscription>;
  /** A link to invoices and payment methods. */
  portal(options?: CallOptions): Promise<{ url: string }>;
}

const PLAN = '/v1/billing/subscription';

export function billingApi({ get, send }: Calls): BillingApi {
  return {
    subscription: (options) => get(PLAN, options),
    change: (body, options) => send('POST', PLAN, options, body),
    portal: (options) => send('POST', '/v1/billing/portal', options),
  };
}
