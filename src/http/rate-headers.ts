import type { RateState } from '../services/limits.ts';

export function rateHeaders(rate: RateState): Record<string, string> {
  return {
    'ratelimit-limit': String(rate.limit),
    'ratelimit-remaining': String(rate.remaining),
    'ratelimit-reset': String(rate.resetSeconds),
  };
}
