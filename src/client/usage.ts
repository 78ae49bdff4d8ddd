// What a team used, and what it may still use.
import type { CurrentUsage, UsageHistory } from '../contract/usage-api.ts';
import type { CallOptions, Calls } from './calls.ts';

export interface UsageApi {
  /** This month, with quota and budget. */
  current(options?: CallOptions): Promise<CurrentUsage>;
  /** A month such as `2026-11`; this one if it is left out. */
  history(query?: { month?: string }, options?: CallOptions): Promise<UsageHistory>;
}

export function usageApi({ get }: Calls): UsageApi {
  return {
    current: (options) => get('/v1/usage/current', options),
    history: (query, options) => get('/v1/usage/history', options, query),
  };
}
