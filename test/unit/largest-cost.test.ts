import { describe, expect, it } from 'vitest';
import { dearest, largestCost, mostInputTokens } from '../../src/domain/usage/largest-cost.ts';

describe('what a budget reserves', () => {
  // Tokens that tokenizers in use really make of these texts (cl100k, Claude 2, Llama 2, Llama 3), the most of any.
  it.each([
    ['digits', '0123456789'.repeat(100), 1000],
    ['a rare script', 'ሀሁሂሃሄህሆለሉሊ'.repeat(100), 3000],
    ['emoji', '🪐🦑🫠😀'.repeat(100), 1600],
    ['random letters', 'qZ7+xK/2vB9w'.repeat(100), 990],
    ['numbers in JSON', '[3.14,2.71,-0.5,1e9]'.repeat(100), 2000],
  ])('is never less than the tokens of %s', (_kind, text, tokens) => {
    expect(mostInputTokens(text)).toBeGreaterThanOrEqual(tokens);
  });

  it('covers what is written to a cache for an hour, where a prompt asks for it', () => {
    const usage = { input: 10, output: 5 };
    const price = (each: { cacheWrite: number; cacheWriteHour?: number }) =>
      each.cacheWrite + 2 * (each.cacheWriteHour ?? 0);
    expect(dearest(price, usage)).toBe(10);
    expect(dearest(price, { ...usage, keptForAnHour: true })).toBe(30);
  });

  it('is unknown when one of the ways has no price', () => {
    const price = ({ cacheWrite }: { cacheWrite: number }) => (cacheWrite > 0 ? null : 1);
    expect(dearest(price, { input: 1, output: 1 })).toBeNull();
  });

  it('is nothing for the simulator', () => {
    const call = { provider: 'simulator', model: 'sim-fast', prompt: 'x', maxTokens: 1 };
    expect(largestCost(() => 1, call)).toBe(0);
  });
});
