// The few requests to Stripe that we make, and what its failures mean here. Loaded only where Stripe is set up.
import { createHash } from 'node:crypto';
import { Stripe } from 'stripe';
import { ServiceError } from '../../contract/errors.ts';
import type { StripeSubscription } from '../../domain/billing/stripe-state.ts';

export interface StripeEvent {
  id: string;
  type: string;
  /** The customer that it is about; undefined where it is about none. */
  customerId: string | undefined;
}

export interface SubscriptionChange {
  priceId: string;
  quantity: number;
  cancelAtPeriodEnd: boolean;
  /** Charges or credits the rest of the period. */
  prorate: boolean;
  /** A tier that was paid for until then, while the price is the next period's already. */
  held: { tier: string; until: Date } | null;
}

export interface StripeApi {
  createCustomer(team: { id: string; name: string; email: string | null }): Promise<string>;
  listSubscriptions(customerId: string): Promise<StripeSubscription[]>;
  updateSubscription(
    subscription: StripeSubscription,
    change: SubscriptionChange,
    idempotencyKey: string | undefined,
  ): Promise<void>;
  /** At once; one that has ended before is left alone. */
  cancelSubscription(id: string): Promise<void>;
  createCheckout(
    order: { teamId: string; customerId: string; priceId: string; seats: number },
    idempotencyKey: string | undefined,
  ): Promise<{ id: string; url: string }>;
  /** Closes a page that may be open somewhere; one that was used or closed before is left alone. */
  expireCheckout(id: string): Promise<void>;
  createPortal(customerId: string): Promise<string>;
  /** Refuses what Stripe did not sign within the last minutes. */
  readEvent(body: Buffer, signature: string | undefined): StripeEvent;
}

const TOLERANCE_SECONDS = 300;
const RETRY_AFTER_SECONDS = 5;

function unavailable(message: string, cause: unknown): ServiceError {
  const retryAfterSeconds = RETRY_AFTER_SECONDS;
  return new ServiceError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds, cause });
}

function meaningOf(error: unknown): unknown {
  const { errors } = Stripe;
  if (error instanceof errors.StripeIdempotencyError) {
    const message = 'This Idempotency-Key was used with a different body. Use a new key.';
    return new ServiceError('IDEMPOTENCY_KEY_REUSED', message);
  }
  if (error instanceof errors.StripeCardError) {
    const message = `Stripe could not charge the payment method: ${error.message} Change it in the billing portal.`;
    return new ServiceError('CONFLICT', message);
  }
  if (
    error instanceof errors.StripeConnectionError ||
    error instanceof errors.StripeRateLimitError ||
    error instanceof errors.StripeAPIError
  ) {
    return unavailable('Stripe does not respond. Try again in a moment.', error);
  }
  if (error instanceof errors.StripeError) {
    const message = 'Stripe refused the request of this server. Contact its operator.';
    return unavailable(message, error);
  }
  return error;
}

async function ask<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw meaningOf(error);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';
}

const seconds = (value: number) => new Date(value * 1000);
const idOf = (value: unknown) =>
  typeof value === 'string' ? value : (value as { id?: string } | null | undefined)?.id;

function toSubscription(raw: Stripe.Subscription): StripeSubscription[] {
  const item = raw.items.data[0];
  if (item === undefined) return [];
  const periodEnd = seconds(item.current_period_end);
  const endsAt = raw.cancel_at === null ? periodEnd : seconds(raw.cancel_at);
  return [
    {
      id: raw.id,
      status: raw.status,
      createdAt: seconds(raw.created),
      periodStart: seconds(item.current_period_start),
      periodEnd,
      cancelAt: raw.cancel_at_period_end || raw.cancel_at !== null ? endsAt : null,
      endsOnDate: raw.cancel_at !== null && !raw.cancel_at_period_end,
      itemId: item.id,
      priceId: item.price.id,
      quantity: item.quantity ?? 1,
      metadata: raw.metadata,
    },
  ];
}

function addressOf(apiUrl: string | undefined): Stripe.StripeConfig {
  if (apiUrl === undefined) return {};
  const { protocol, hostname, port } = new URL(apiUrl);
  const isHttp = protocol === 'http:';
  return { protocol: isHttp ? 'http' : 'https', host: hostname, port: port || (isHttp ? 80 : 443) };
}

export function createStripeApi(deps: {
  key: string;
  webhookSecret: string;
  apiUrl: string | undefined;
  timeoutMs: number;
  /** Where people go after they paid. */
  returnUrl(): string;
}): StripeApi {
  const stripe = new Stripe(deps.key, {
    ...addressOf(deps.apiUrl),
    timeout: deps.timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
    appInfo: { name: 'Millrace' },
  });
  // Stripe refuses longer ones.
  const options = (key: string | undefined) =>
    key === undefined ? {} : { idempotencyKey: createHash('sha256').update(key).digest('hex') };

  return {
    async createCustomer({ id, name, email }) {
      const customer = stripe.customers.create(
        { name, ...(email === null ? {} : { email }), metadata: { teamId: id } },
        { idempotencyKey: `millrace-customer-${id}` },
      );
      return (await ask(customer)).id;
    },

    async listSubscriptions(customer) {
      try {
        const { data } = await stripe.subscriptions.list({ customer, status: 'all', limit: 100 });
        return data.flatMap(toSubscription);
      } catch (error) {
        // The customer was deleted at Stripe, and with it all it had.
        if (isMissing(error)) return [];
        throw meaningOf(error);
      }
    },

    async updateSubscription(subscription, change, idempotencyKey) {
      const { priceId, quantity, held } = change;
      const params: Stripe.SubscriptionUpdateParams = {
        items: [{ id: subscription.itemId, price: priceId, quantity }],
        // Stripe takes one of the two at a time.
        ...(subscription.endsOnDate && !change.cancelAtPeriodEnd
          ? { cancel_at: '' }
          : { cancel_at_period_end: change.cancelAtPeriodEnd }),
        proration_behavior: change.prorate ? 'create_prorations' : 'none',
        metadata: {
          heldTier: held?.tier ?? '',
          heldUntil: held === null ? '' : String(Math.floor(held.until.getTime() / 1000)),
        },
      };
      await ask(stripe.subscriptions.update(subscription.id, params, options(idempotencyKey)));
    },

    async cancelSubscription(id) {
      try {
        await stripe.subscriptions.cancel(id);
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw meaningOf(error);
      }
    },

    async createCheckout({ teamId, customerId, priceId, seats }, idempotencyKey) {
      const returnUrl = deps.returnUrl();
      const session = await ask(
        stripe.checkout.sessions.create(
          {
            mode: 'subscription',
            customer: customerId,
            client_reference_id: teamId,
            line_items: [{ price: priceId, quantity: seats }],
            subscription_data: { metadata: { teamId } },
            success_url: returnUrl,
            cancel_url: returnUrl,
          },
          options(idempotencyKey),
        ),
      );
      if (session.url === null) throw unavailable('Stripe returned no checkout page.', undefined);
      return { id: session.id, url: session.url };
    },

    async expireCheckout(id) {
      try {
        await stripe.checkout.sessions.expire(id);
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw meaningOf(error);
      }
    },

    async createPortal(customer) {
      const params = { customer, return_url: deps.returnUrl() };
      return (await ask(stripe.billingPortal.sessions.create(params))).url;
    },

    readEvent(body, signature) {
      try {
        const { webhooks } = stripe;
        const event = webhooks.constructEvent(
          body,
          signature ?? '',
          deps.webhookSecret,
          TOLERANCE_SECONDS,
        );
        const object = event.data.object as { id?: string; object?: string; customer?: unknown };
        const customerId = object.object === 'customer' ? object.id : idOf(object.customer);
        return { id: event.id, type: event.type, customerId };
      } catch {
        const message = 'The signature of this event is missing, wrong or too old.';
        throw new ServiceError('VALIDATION_ERROR', message);
      }
    },
  };
}
