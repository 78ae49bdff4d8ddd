import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';

const SET = {
  MILLRACE_STRIPE_KEY: 'sk_test_1',
  MILLRACE_STRIPE_WEBHOOK_SECRET: 'whsec_1',
  MILLRACE_STRIPE_PRICES: 'pro=price_1, team = price_2',
};

it('Stripe is used where all that it needs is set', () => {
  expect(loadConfig({}).stripe).toBeUndefined();
  expect(loadConfig(SET).stripe).toMatchObject({
    key: 'sk_test_1',
    webhookSecret: 'whsec_1',
    prices: { price_1: 'pro', price_2: 'team' },
  });
  expect(() => loadConfig({ ...SET, MILLRACE_STRIPE_WEBHOOK_SECRET: '' })).toThrow(
    'MILLRACE_STRIPE_WEBHOOK_SECRET: must be set together with MILLRACE_STRIPE_KEY',
  );
});

it.each(['price_1', 'gold=price_1', 'enterprise=price_1', 'pro=', 'pro=price_1,team=price_1'])(
  'prices that name no tier stop the start: %s',
  (prices) => {
    expect(() => loadConfig({ ...SET, MILLRACE_STRIPE_PRICES: prices })).toThrow(
      /^MILLRACE_STRIPE_PRICES/,
    );
  },
);
