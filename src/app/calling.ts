// What jobs and calls share on their way to a vendor: the keys, and the rate limits of the keys.
import { createJobKeys } from '../engine/job-keys.ts';
import type { JobKeys } from '../engine/job-keys.ts';
import { createRateLimiter } from '../engine/rate-limiter.ts';
import type { RateLimiter } from '../engine/rate-limiter.ts';
import type { Parts } from './parts.ts';
import type { Teardown } from './teardown.ts';

export interface Calling {
  keys: JobKeys;
  rateLimiter: RateLimiter;
}

export function createCalling(parts: Parts, teardown: Teardown): Calling {
  const { providers } = parts;
  const rateLimiter = createRateLimiter(parts);
  teardown.add('rate limiter', () => rateLimiter.close());
  const keyless = providers.ids().filter((id) => providers.find(id)?.needsKey === false);
  return { rateLimiter, keys: createJobKeys({ ...parts, keyless: new Set(keyless) }) };
}
