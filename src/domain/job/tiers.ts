// What each tier may do. The only place where these numbers stand.

export const TIER_NAMES = ['trial', 'pro', 'team', 'enterprise'] as const;
export type Tier = (typeof TIER_NAMES)[number];

export interface TierLimits {
  /** null: agreed with the operator (a server setting), see `requestsPerMinute`. */
  requestsPerMinute: number | null;
  /** null: unlimited. */
  runsPerMonth: number | null;
  concurrentJobs: number | null;
}

export const TIERS: Record<Tier, TierLimits> = {
  trial: { requestsPerMinute: 10, runsPerMonth: 50, concurrentJobs: 2 },
  pro: { requestsPerMinute: 60, runsPerMonth: 1000, concurrentJobs: 10 },
  team: { requestsPerMinute: 120, runsPerMonth: 5000, concurrentJobs: 25 },
  enterprise: { requestsPerMinute: null, runsPerMonth: null, concurrentJobs: null },
};

export function isTier(value: string): value is Tier {
  return (TIER_NAMES as readonly string[]).includes(value);
}

/** The first moment of the month (UTC) that `now` is in, and of the next: quotas reset there. */
export function monthOf(now: Date): { start: Date; end: Date } {
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const end = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  return { start, end };
}
