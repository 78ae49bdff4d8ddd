// How often somebody may try to get in: counted in the database, so that the limit is the same however
// many nodes there are. By address first: otherwise one caller could fill the buckets of every account.
import { ServiceError } from '../../contract/errors.ts';
import { addressGroup } from '../../domain/accounts/address-group.ts';
import { RateLimitError } from '../limits.ts';
import type { LimitService } from '../limits.ts';

export interface Attempts {
  /** Counts one attempt; throws RATE_LIMITED when there were too many. */
  count(address: string, account?: string): Promise<void>;
}

export const ATTEMPTS_PER_MINUTE = 5;

export function createAttempts(deps: { limits: LimitService }): Attempts {
  async function take(bucket: string): Promise<void> {
    try {
      await deps.limits.take(bucket, ATTEMPTS_PER_MINUTE);
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error;
      const { retryAfterSeconds = 1 } = error;
      const message = `Too many attempts. Try again in ${retryAfterSeconds} s.`;
      throw new ServiceError('RATE_LIMITED', message, { retryAfterSeconds });
    }
  }

  return {
    async count(address, account) {
      await take(`sign-in from ${addressGroup(address)}`);
      if (account !== undefined) await take(`sign-in of ${account.toLowerCase()}`);
    },
  };
}
