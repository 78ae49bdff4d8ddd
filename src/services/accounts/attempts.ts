// How often somebody may try to get in: counted in the database, so that the limit is the same however
// many nodes there are. By address first: otherwise one caller could fill the buckets of every account.
import { ServiceError } from '../../contract/errors.ts';
import { addressGroup } from '../../domain/accounts/address-group.ts';
import { RateLimitError } from '../limits.ts';
import type { LimitService } from '../limits.ts';

/** Attempts a minute, from an address and for an account. */
const ALLOWED = {
  'sign-in': 5,
  // Each sign-in of a command line takes two: what it is, and the decision.
  'device code': 10,
  'new device': 10,
  // Every 5 seconds for each of ten people behind one address.
  'device token': 120,
  'single sign-on': 20,
  // A page of a run under way asks every few seconds; some people look at it together.
  'shared run': 120,
  // Of one account, whoever asks: somebody's mailbox is not to be filled.
  'forgotten password': 3,
} as const;
export type AttemptKind = keyof typeof ALLOWED;

export interface Attempts {
  /** Counts one attempt; throws RATE_LIMITED when there were too many. */
  count(address: string, account?: string, kind?: AttemptKind): Promise<void>;
}

export const ATTEMPTS_PER_MINUTE = ALLOWED['sign-in'];

export function createAttempts(deps: { limits: LimitService }): Attempts {
  async function take(bucket: string, perMinute: number): Promise<void> {
    try {
      await deps.limits.take(bucket, perMinute);
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error;
      const { retryAfterSeconds = 1 } = error;
      const message = `Too many attempts. Try again in ${retryAfterSeconds} s.`;
      throw new ServiceError('RATE_LIMITED', message, { retryAfterSeconds });
    }
  }

  return {
    async count(address, account, kind = 'sign-in') {
      await take(`${kind} from ${addressGroup(address)}`, ALLOWED[kind]);
      if (account !== undefined) await take(`${kind} of ${account.toLowerCase()}`, ALLOWED[kind]);
    },
  };
}
