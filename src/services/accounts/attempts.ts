// How often a caller may try to get in: counted in the database, so that the limit is the same however
// many nodes there are. By network address first: otherwise one caller could fill the buckets of every account.
import { emailKey } from '../../contract/email-address.ts';
import { addressGroup } from '../../domain/accounts/address-group.ts';
import type { Db } from '../../store/postgres/db.ts';
import { takeFromBucket } from '../../store/usage/rate-limits.ts';
import { RateLimitError } from '../limits.ts';
import type { LimitService, RateState } from '../limits.ts';

/** Attempts a minute, from a network address and, where one is named, for an account. */
const ALLOWED = {
  // Links that are none.
  link: 5,
  'sign-up': 5,
  // Of the account that is signed in: at an open browser, another person could try one after the other.
  'own password': 5,
  // Each sign-in of a command line takes two: what it is, and the decision.
  'device code': 10,
  'new device': 10,
  // Every 5 seconds for each of ten people behind one address.
  'device token': 120,
  'single sign-on': 20,
  // A page of a run under way asks every few seconds; some people look at it together.
  'shared run': 120,
  // Of one account, from any address: its mailbox must not be filled.
  'forgotten password': 3,
} as const;
export type AttemptKind = keyof typeof ALLOWED;

/** Sign-ins a minute: of one account from one network address, or on a device that it knows. */
export const ATTEMPTS_PER_MINUTE = 5;
/** Of all accounts from one network address, behind which there may be an office. */
const SIGN_INS_FROM_ADDRESS = 60;
/** Of one account from everywhere, in an hour. Devices that it knows are not counted. */
export const SIGN_INS_OF_ACCOUNT = 100;
const HOUR_MS = 3_600_000;

export interface Attempts {
  /** Counts one attempt; throws RATE_LIMITED when there were too many. */
  count(address: string, account: string | undefined, kind: AttemptKind): Promise<void>;
  /** `knownDevice`: the name of one that has signed in to the account before. */
  countSignIn(address: string, email: string, knownDevice: string | undefined): Promise<void>;
}

function tooMany(state: RateState, retryAfterSeconds: number): RateLimitError {
  const message = `Too many attempts. Try again in ${retryAfterSeconds} s.`;
  return new RateLimitError(state, retryAfterSeconds, message);
}

export function createAttempts(deps: { db: Db; limits: LimitService }): Attempts {
  async function take(bucket: string, perMinute: number): Promise<void> {
    try {
      await deps.limits.take(bucket, perMinute);
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error;
      throw tooMany(error.state, error.retryAfterSeconds ?? 1);
    }
  }

  async function takeOfHour(bucket: string, perHour: number): Promise<void> {
    const eachMs = HOUR_MS / perHour;
    const { allowed, filledMs } = await takeFromBucket(deps.db, bucket, eachMs, HOUR_MS);
    if (allowed) return;
    const state = { limit: perHour, remaining: 0, resetSeconds: Math.ceil(filledMs / 1000) };
    throw tooMany(state, Math.max(1, Math.ceil((filledMs + eachMs - HOUR_MS) / 1000)));
  }

  return {
    async count(address, account, kind) {
      await take(`${kind} from ${addressGroup(address)}`, ALLOWED[kind]);
      if (account !== undefined) await take(`${kind} of ${emailKey(account)}`, ALLOWED[kind]);
    },
    async countSignIn(address, email, knownDevice) {
      const key = emailKey(email);
      if (knownDevice !== undefined) {
        await take(`sign-in on ${knownDevice} of ${key}`, ATTEMPTS_PER_MINUTE);
        return;
      }
      const from = addressGroup(address);
      await take(`sign-in from ${from}`, SIGN_INS_FROM_ADDRESS);
      await take(`sign-in from ${from} of ${key}`, ATTEMPTS_PER_MINUTE);
      await takeOfHour(`sign-in of ${key}`, SIGN_INS_OF_ACCOUNT);
    },
  };
}
