import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
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
  const row = (label: string, ...figures: (number | null)[]) => {
    const [requestsPerMinute, runsPerMonth, concurrentJobs, retentionDays] = figures;
    return { label, requestsPerMinute, runsPerMonth, concurrentJobs, retentionDays };
  };
  expect(TIERS).toEqual({
    trial: row('Trial', 10, 50, 2, 30),
    pro: row('Pro', 60, 1000, 10, 90),
    team: row('Team', 120, 5000, 25, 365),
    enterprise: row('Enterprise', 600_000, null, null, null),
  });
});

it('the figures of the tiers stand in one file only', () => {
  verifies('limits.tiers.one-table');
  const figure = /\b(?:requestsPerMinute|runsPerMonth|concurrentJobs|retentionDays)\b\s*:\s*\d/;
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

describe('figures of the operator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tiers-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  const load = (text: string) => {
    const file = join(folder, `${++files}.json`);
    writeFileSync(file, text);
    return loadConfig({ MILLRACE_TIERS: file }).tiers;
  };

  it('replace the built-in ones, one by one', () => {
    verifies('limits.tiers.file');
    const tiers = load(
      '{"pro":{"runsPerMonth":2000,"retentionDays":null},"trial":{"label":"Free"}}',
    );
    expect(tiers).toEqual({
      ...TIERS,
      pro: { ...TIERS.pro, runsPerMonth: 2000, retentionDays: null },
      trial: { ...TIERS.trial, label: 'Free' },
    });
    expect(loadConfig({}).tiers).toBe(TIERS);
  });

  it.each([
    ['{"pro":{"runsPerMonth":-1}}', 'pro.runsPerMonth must be at least 1'],
    ['{"pro":{"runsPerMonth":1.5}}', 'pro.runsPerMonth must be a whole number'],
    ['{"pro":{"concurrentJobs":"many"}}', 'pro.concurrentJobs must be a whole number'],
    ['{"pro":{"runs":1}}', 'pro.runs is not a figure of a tier'],
    ['{"gold":{}}', '"gold" is not a tier'],
    ['[]', 'must be an object of tiers'],
    ['{', 'is not valid JSON'],
  ])('that make no sense stop the start: %s', (text, problem) => {
    expect(() => load(text)).toThrow(/^MILLRACE_TIERS /);
    expect(() => load(text)).toThrow(problem);
  });

  it('need a file that is there', () => {
    const missing = join(folder, 'missing.json');
    expect(() => loadConfig({ MILLRACE_TIERS: missing })).toThrow('cannot be read');
  });
});
