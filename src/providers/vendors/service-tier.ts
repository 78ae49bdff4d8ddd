// The tier of a call, in the words of each vendor.
import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ServiceTier } from '../../contract/fields.ts';
import type { PricedTier } from '../../domain/model/facts-price.ts';
import type { VendorEndpoint } from './language-model.ts';

export function tierOptions(
  { provider, custom }: Pick<VendorEndpoint, 'provider' | 'custom'>,
  tier: ServiceTier | undefined,
): SharedV4ProviderOptions {
  if (tier === undefined) return {};
  if (provider === 'google') return { google: { serviceTier: tier } };
  if (provider !== 'openai') return {};
  // A server of one's own may refuse a field that it does not know: only who asks for flex sends it.
  if (custom) return tier === 'flex' ? { compatible: { service_tier: tier } } : {};
  // Without it, OpenAI takes what the settings of the project say.
  return { openai: { serviceTier: tier === 'flex' ? tier : 'default' } };
}

const TIERS: ReadonlyMap<unknown, PricedTier> = new Map([
  ['flex', 'flex'],
  ['default', 'standard'],
  ['standard', 'standard'],
  ['priority', 'priority'],
  ['fast', 'priority'],
]);

/** What an answer says; undefined for names that say nothing about the price. */
export function readTier(name: unknown): PricedTier | undefined {
  return TIERS.get(typeof name === 'string' ? name.toLowerCase() : undefined);
}

/** Of the vendors that report it with the end of the answer. */
export function tierInMetadata(metadata: unknown): PricedTier | undefined {
  const { openai, google } = (metadata ?? {}) as Record<string, { serviceTier?: unknown }>;
  return readTier((openai ?? google)?.serviceTier);
}
