// What each tier may do. The only place where these numbers stand; an operator may change them by a file.

export const TIER_NAMES = ['trial', 'pro', 'team', 'enterprise'] as const;
export type Tier = (typeof TIER_NAMES)[number];

export interface TierLimits {
  /** What people read. */
  label: string;
  /** Of each account, unless another rate was agreed with it. */
  requestsPerMinute: number;
  /** null: unlimited. */
  runsPerMonth: number | null;
  concurrentJobs: number | null;
  /** How long ended work is kept; null: until it is deleted. */
  retentionDays: number | null;
}

export type Tiers = Readonly<Record<Tier, TierLimits>>;

/** Where the operator says nothing else. Servers use the table of their settings (`config.tiers`). */
export const TIERS: Tiers = {
  trial: {
    label: 'Trial',
    requestsPerMinute: 10,
    runsPerMonth: 50,
    concurrentJobs: 2,
    retentionDays: 30,
  },
  pro: {
    label: 'Pro',
    requestsPerMinute: 60,
    runsPerMonth: 1000,
    concurrentJobs: 10,
    retentionDays: 90,
  },
  team: {
    label: 'Team',
    requestsPerMinute: 120,
    runsPerMonth: 5000,
    concurrentJobs: 25,
    retentionDays: 365,
  },
  enterprise: {
    label: 'Enterprise',
    requestsPerMinute: 600_000,
    runsPerMonth: null,
    concurrentJobs: null,
    retentionDays: null,
  },
};

/** The table with an operator's own figures; what they leave out stays. */
export function withOwnFigures(own: {
  readonly [T in Tier]?:
    | { readonly [F in keyof TierLimits]?: TierLimits[F] | undefined }
    | undefined;
}): Tiers {
  const merged = (tier: Tier): TierLimits => {
    const given = Object.entries(own[tier] ?? {}).filter(([, value]) => value !== undefined);
    return { ...TIERS[tier], ...Object.fromEntries(given) };
  };
  return {
    trial: merged('trial'),
    pro: merged('pro'),
    team: merged('team'),
    enterprise: merged('enterprise'),
  };
}

export function isTier(value: string): value is Tier {
  return (TIER_NAMES as readonly string[]).includes(value);
}

/** The first moment of the month (UTC) that `now` is in, and of the next: quotas reset there. */
export function monthOf(now: Date): { start: Date; end: Date } {
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const end = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  return { start, end };
}
