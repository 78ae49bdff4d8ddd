// Who charges for plans on this server.
import type { Config } from '../config.ts';
import { freeTier } from '../domain/billing/plan-change.ts';
import { createBillingService } from '../services/billing/billing.ts';
import { createManualBilling } from '../services/billing/manual-billing.ts';
import type { Parts } from './parts.ts';

export function billingServices(config: Config, parts: Parts) {
  const { enterpriseRequestsPerMinute } = config;
  const provider = createManualBilling({ ...parts, free: freeTier(config.defaultTier) });
  return { billing: createBillingService({ ...parts, enterpriseRequestsPerMinute, provider }) };
}
