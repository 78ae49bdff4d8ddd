// Webhooks: where the service sends the events of executions.
import type {
  CreatedWebhook,
  NewWebhook,
  Page,
  QueuedDelivery,
  RotatedSecret,
  Webhook,
  WebhookDelivery,
} from './webhooks-types.ts';
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
