// API keys: what programs call the service with.
import type { ApiKey, CreatedApiKey, RotatedApiKey } from '../contract/api-keys-api.ts';
import { part } from './calls.ts';
import type { CallOptions, Calls } from './calls.ts';

export interface NewApiKey {
  name: string;
  scopes?: string[];
  expiresInDays?: number;
  /** The only team the key acts in. */
  teamId?: string;
}

export interface ApiKeysApi {
  list(options?: CallOptions): Promise<{ items: ApiKey[] }>;
  /** The key is in this answer only. */
  create(body: NewApiKey, options?: CallOptions): Promise<CreatedApiKey>;
  /** The old key keeps working for the grace period, a day unless it is given. */
  rotate(
    id: string,
    body?: { gracePeriodHours?: number },
    options?: CallOptions,
  ): Promise<RotatedApiKey>;
  revoke(id: string, options?: CallOptions): Promise<{ revoked: true; id: string }>;
}

const KEYS = '/api/v1/api-keys';

export function apiKeysApi({ get, send }: Calls): ApiKeysApi {
  return {
    list: (options) => get(KEYS, options),
    create: (body, options) => send('POST', KEYS, options, body),
    rotate: (id, body = {}, options) => send('POST', `${KEYS}/${part(id)}/rotate`, options, body),
    revoke: (id, options) => send('DELETE', `${KEYS}/${part(id)}`, options),
  };
}
