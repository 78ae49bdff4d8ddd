import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { TIERS } from '../../src/domain/job/tiers.ts';
import { filesUnder, fromRoot } from '../pins/tree.ts';
import { verifies } from '../support/verifies.ts';

it('the tiers have the documented figures', () => {
  verifies(
    'limits.rate.tiers',
    'limits.quota.tiers',
    'limits.concurrency.tiers',
    'limits.rate.enterprise',
  );
  expect(TIERS).toEqual({
    trial: { requestsPerMinute: 10, runsPerMonth: 50, concurrentJobs: 2 },
    pro: { requestsPerMinute: 60, runsPerMonth: 1000, concurrentJobs: 10 },
    team: { requestsPerMinute: 120, runsPerMonth: 5000, concurrentJobs: 25 },
    enterprise: { requestsPerMinute: null, runsPerMonth: null, concurrentJobs: null },
  });
});

it('the figures of the tiers stand in one file only', () => {
  verifies('limits.tiers.one-table');
  const figure = /\b(?:requestsPerMinute|runsPerMonth|concurrentJobs)\b\s*:\s*\d/;
  const files = filesUnder('src', '.ts').filter((file) =>
    figure.test(readFileSync(fromRoot(file), 'utf8')),
  );
  expect(files).toEqual(['src/domain/job/tiers.ts']);
});

it('new accounts are enterprise unless a setting names another tier', () => {
  verifies('limits.tier.default', 'limits.tier.setting');
  expect(loadConfig({}).defaultTier).toBe('enterprise');
  for (const tier of ['trial', 'pro', 'team', 'enterprise']) {
    expect(loadConfig({ MILLRACE_DEFAULT_TIER: tier }).defaultTier).toBe(tier);
  }
  expect(() => loadConfig({ MILLRACE_DEFAULT_TIER: 'gold' })).toThrow(/MILLRACE_DEFAULT_TIER/);
});
