// The tier of a call, in the words of all vendors.
import type { PricedTier } from '../../domain/model/facts-price.ts';

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
