// How much a model is asked to think, in the words of each vendor. Models that do not reason, or that are
// not known to, are asked as if nothing had been said: some vendors refuse a call for it.
//
// Thinking is paid for as output. Where it gets a budget of its own, it is taken out of `maxTokens` and
// never comes on top: what a call may cost at most is settled before it is made.
import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Reasoning } from '../../contract/fields.ts';
import type { PublicProvider } from '../../domain/model/model-routing.ts';

export interface ReasoningOptions {
  maxOutputTokens: number;
  reasoning?: Reasoning;
  providerOptions: SharedV4ProviderOptions;
}

/** Of `maxTokens`, what may go into thinking. */
const SHARES: Record<Reasoning, number> = { low: 0.2, medium: 0.4, high: 0.6 };
/** No vendor takes less. */
const LEAST_BUDGET = 1024;

const CLAUDE_WITHOUT = /^claude-(?:[12]|instant|3-5|3-(?:opus|sonnet|haiku))/;
/** Later ones decide for themselves how long to think, and take an effort. */
const CLAUDE_WITH_BUDGET = /^claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:-[015])?(?:-\d{8})?(?:$|@))/;
const GEMINI_WITH_BUDGET = /^gemini-(?:2\.5|flash|pro)/;
const GEMINI_WITH_LEVEL = /^gemini-(?:[3-9]|\d\d)/;
/** Knows two levels only. */
const GEMINI_TWO_LEVELS = /^gemini-3-pro/;
const GEMINI_MOST_BUDGET = 24_576;
/** Of the models that people run on servers of their own, those that take an effort. */
const COMPATIBLE = /^(?:.*\/)?(?:gpt-oss|gpt-[5-9]|o\d)/i;

function budgetOf(maxTokens: number, reasoning: Reasoning): number | undefined {
  const budget = Math.floor(maxTokens * SHARES[reasoning]);
  if (budget >= LEAST_BUDGET) return budget;
  // Half of it is left for the answer itself.
  return maxTokens >= 2 * LEAST_BUDGET ? LEAST_BUDGET : undefined;
}

function forAnthropic(model: string, maxTokens: number, reasoning: Reasoning): ReasoningOptions {
  const plain = { maxOutputTokens: maxTokens, providerOptions: {} };
  if (CLAUDE_WITHOUT.test(model)) return plain;
  if (!CLAUDE_WITH_BUDGET.test(model)) return { ...plain, reasoning };
  const budgetTokens = budgetOf(maxTokens, reasoning);
  if (budgetTokens === undefined) return plain;
  return {
    // The package adds the budget to it again.
    maxOutputTokens: maxTokens - budgetTokens,
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens } } },
  };
}

function forGoogle(model: string, maxTokens: number, reasoning: Reasoning): ReasoningOptions {
  const plain = { maxOutputTokens: maxTokens, providerOptions: {} };
  if (GEMINI_WITH_LEVEL.test(model)) {
    const thinkingLevel =
      reasoning === 'medium' && GEMINI_TWO_LEVELS.test(model) ? 'high' : reasoning;
    return { ...plain, providerOptions: { google: { thinkingConfig: { thinkingLevel } } } };
  }
  const budget = GEMINI_WITH_BUDGET.test(model) ? budgetOf(maxTokens, reasoning) : undefined;
  if (budget === undefined) return plain;
  const thinkingBudget = Math.min(budget, GEMINI_MOST_BUDGET);
  return { ...plain, providerOptions: { google: { thinkingConfig: { thinkingBudget } } } };
}

export function reasoningOptions(
  endpoint: { provider: PublicProvider; custom: boolean },
  request: { model: string; maxTokens: number; reasoning?: Reasoning },
): ReasoningOptions {
  const { model, maxTokens, reasoning } = request;
  const plain = { maxOutputTokens: maxTokens, providerOptions: {} };
  if (reasoning === undefined) return plain;
  switch (endpoint.provider) {
    case 'anthropic':
      return forAnthropic(model, maxTokens, reasoning);
    case 'google':
      return forGoogle(model, maxTokens, reasoning);
    case 'openai': {
      if (endpoint.custom) return COMPATIBLE.test(model) ? { ...plain, reasoning } : plain;
      // The package knows which models reason. Summaries are for verified organizations only.
      return { ...plain, reasoning, providerOptions: { openai: { reasoningSummary: null } } };
    }
    case 'openrouter':
      // Left out by OpenRouter where the model has no use for it.
      return { ...plain, providerOptions: { openrouter: { reasoning: { effort: reasoning } } } };
  }
}

/** What one says is added to what the other says of the same vendor. */
export function mergeOptions(
  first: SharedV4ProviderOptions,
  second: SharedV4ProviderOptions,
): SharedV4ProviderOptions {
  const merged = { ...first };
  for (const [vendor, options] of Object.entries(second)) {
    merged[vendor] = { ...merged[vendor], ...options };
  }
  return merged;
}
