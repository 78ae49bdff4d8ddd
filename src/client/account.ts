// Webhooks, teams, usage and billing.
import type {
  CreatedWebhook,
  NewWebhook,
  Page,
  QueuedDelivery,
  Role,
  RotatedSecret,
  Subscription,
  Team,
  TeamMember,
  Usage,
  UsageMonth,
  Webhook,
  WebhookDelivery,
} from './account-types.ts';
import { part } from './calls.ts';
import type { CallOptions, Calls } from './calls.ts';

export interface WebhooksApi {
  /** The secret is in this answer only. */
  create(body: NewWebhook, options?: CallOptions): Promise<CreatedWebhook>;
  list(options?: CallOptions): Promise<Page<Webhook>>;
  get(id: string, options?: CallOptions): Promise<Webhook>;
  update(
    id: string,
    body: Partial<NewWebhook> & { status?: 'active' | 'paused' },
    options?: CallOptions,
  ): Promise<Webhook>;
  remove(id: string, options?: CallOptions): Promise<{ deleted: true; id: string }>;
  rotateSecret(id: string, options?: CallOptions): Promise<RotatedSecret>;
  /** Sends a test event. */
  test(id: string, options?: CallOptions): Promise<QueuedDelivery>;
  deliveries(
    id: string,
    page?: { limit?: number; before?: string },
    options?: CallOptions,
  ): Promise<Page<WebhookDelivery>>;
  redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<QueuedDelivery>;
}

export function webhooksApi({ get, send }: Calls): WebhooksApi {
  const at = (id: string, rest = '') => `/v1/webhooks/${part(id)}${rest}`;
  return {
    create: (body, options) => send('POST', '/v1/webhooks', options, body),
    list: (options) => get('/v1/webhooks', options),
    get: (id, options) => get(at(id), options),
    update: (id, body, options) => send('PATCH', at(id), options, body),
    remove: (id, options) => send('DELETE', at(id), options),
    rotateSecret: (id, options) => send('POST', at(id, '/rotate-secret'), options),
    test: (id, options) => send('POST', at(id, '/test'), options),
    deliveries: (id, page, options) => get(at(id, '/deliveries'), options, page),
    redeliver: (id, deliveryId, options) =>
      send('POST', at(id, `/deliveries/${part(deliveryId)}/redeliver`), options),
  };
}

export interface TeamsApi {
  list(options?: CallOptions): Promise<Page<Team>>;
  create(body: { name: string }, options?: CallOptions): Promise<Team>;
  get(id: string, options?: CallOptions): Promise<Team>;
  update(
    id: string,
    body: { name?: string; settings?: Record<string, unknown> },
    options?: CallOptions,
  ): Promise<Team>;
  members(id: string, options?: CallOptions): Promise<{ items: TeamMember[]; total: number }>;
  addMember(
    id: string,
    body: { email?: string; userId?: string; role: Role },
    options?: CallOptions,
  ): Promise<TeamMember>;
  removeMember(
    id: string,
    userId: string,
    options?: CallOptions,
  ): Promise<{ removed: true; userId: string }>;
}

export function teamsApi({ get, send }: Calls): TeamsApi {
  const at = (id: string, rest = '') => `/v1/teams/${part(id)}${rest}`;
  return {
    list: (options) => get('/v1/teams', options),
    create: (body, options) => send('POST', '/v1/teams', options, body),
    get: (id, options) => get(at(id), options),
    update: (id, body, options) => send('PATCH', at(id), options, body),
    members: (id, options) => get(at(id, '/members'), options),
    addMember: (id, body, options) => send('POST', at(id, '/members'), options, body),
    removeMember: (id, userId, options) =>
      send('DELETE', at(id, `/members/${part(userId)}`), options),
  };
}

export interface UsageApi {
  current(options?: CallOptions): Promise<Usage>;
  /** `month` as in 2026-11. */
  history(month: string, options?: CallOptions): Promise<UsageMonth>;
}

export function usageApi({ get }: Calls): UsageApi {
  return {
    current: (options) => get('/v1/usage/current', options),
    history: (month, options) => get('/v1/usage/history', options, { month }),
  };
}

export interface BillingApi {
  subscription(options?: CallOptions): Promise<Subscription>;
  change(
    body: { tier: string; seats?: number; cancelAtPeriodEnd?: boolean },
    options?: CallOptions,
  ): Promise<Subscription>;
}

export function billingApi({ get, send }: Calls): BillingApi {
  const path = '/v1/billing/subscription';
  return {
    subscription: (options) => get(path, options),
    change: (body, options) => send('POST', path, options, body),
  };
}
