import type { Subscription } from '../../../../src/contract/billing-api.ts';

export type TierName = Subscription['tier'];

export const TIER_LABELS: Readonly<Record<TierName, string>> = {
  trial: 'Trial',
  pro: 'Pro',
  team: 'Team',
  enterprise: 'Enterprise',
};
