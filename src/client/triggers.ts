// Triggers: runs that the service asks runners for when something happens elsewhere.
import type {
  CreatedTrigger,
  HookAnswer,
  NewTrigger,
  RotatedTrigger,
  TestedTrigger,
  Trigger,
  TriggerChange,
  TriggerDelivery,
} from '../contract/trigger-api.ts';
import type { TriggerEventName } from '../contract/trigger-events.ts';
import { part } from './calls.ts';
import type { CallOptions, Calls } from './calls.ts';
import type { Page } from './webhooks-types.ts';

export interface TriggersApi {
  /** The secret is in this answer only. */
  create(body: NewTrigger, options?: CallOptions): Promise<CreatedTrigger>;
  list(options?: CallOptions): Promise<{ items: Trigger[] }>;
  get(id: string, options?: CallOptions): Promise<Trigger>;
  update(id: string, body: TriggerChange, options?: CallOptions): Promise<Trigger>;
  remove(id: string, options?: CallOptions): Promise<{ deleted: true; id: string }>;
  rotate(
    id: string,
    body?: { gracePeriodHours?: number },
    options?: CallOptions,
  ): Promise<RotatedTrigger>;
  /** What an event would ask for; nothing is started. */
  test(
    id: string,
    body?: { event?: TriggerEventName; values?: Record<string, string> },
    options?: CallOptions,
  ): Promise<TestedTrigger>;
  /** Newest first. */
  deliveries(
    id: string,
    page?: { limit?: number; before?: string },
    options?: CallOptions,
  ): Promise<Page<TriggerDelivery>>;
  replay(id: string, deliveryId: string, options?: CallOptions): Promise<HookAnswer>;
}

export function triggersApi({ get, send }: Calls): TriggersApi {
  const at = (id: string, rest = '') => `/v1/triggers/${part(id)}${rest}`;
  return {
    create: (body, options) => send('POST', '/v1/triggers', options, body),
    list: (options) => get('/v1/triggers', options),
    get: (id, options) => get(at(id), options),
    update: (id, body, options) => send('PATCH', at(id), options, body),
    remove: (id, options) => send('DELETE', at(id), options),
    rotate: (id, body, options) => send('POST', at(id, '/rotate'), options, body ?? {}),
    test: (id, body, options) => send('POST', at(id, '/test'), options, body ?? {}),
    deliveries: (id, page, options) => get(at(id, '/deliveries'), options, page),
    replay: (id, deliveryId, options) =>
      send('POST', at(id, `/deliveries/${part(deliveryId)}/replay`), options),
  };
}
