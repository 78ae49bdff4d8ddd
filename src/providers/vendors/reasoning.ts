// How much a model is asked to think, in the words of each vendor, as the facts about it say. Of models without facts the
// id has to say it: those that do not reason, or that are not known to, are asked as if nothing had been said, because
// some vendors refuse a call for it.
//
// Thinking is paid for as output. Where it gets a budget of its own, it is taken out of `maxTokens` and
// never comes on top: what a call may cost at most is settled before it is made.
import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Reasoning } from '../../contract/fields.ts';
import type { ModelFacts } from '../../domain/model/facts-schema.ts';
import { findFacts, knownFacts } from '../../domain/model/model-facts.ts';
import type { PublicProvider } from '../../domain/model/model-routing.ts';

export interface ReasoningOptions {
  /** None where the vendor decides. */
  maxOutputTokens?: number;
  reasoning?: Reasoning;
  providerOptions: SharedV4ProviderOptions;
}

/** Of `maxTokens`, what may go into thinking. */
const SHARES: Record<Reasoning, number> = { low: 0.2, medium: 0.4, high: 0.6 };
/** No vendor takes less. */
const LEAST_BUDGET = 1024;

type Way = ModelFacts['reasoning'];

const CLAUDE_WITHOUT = /^claude-(?:[12]|instant|3-5|3-(?:opus|sonnet|haiku))/;
/** Later ones decide for themselves how long to think, and take an effort. */
const CLAUDE_WITH_BUDGET = /^claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:-[015])?(?:-\d{8})?(?:$|@))/;
const GEMINI_WITH_BUDGET = /^gemini-(?:2\.5|flash|pro)/;
const GEMINI_WITH_LEVEL = /^gemini-(?:[3-9]|\d\d)/;
const GEMINI_MOST_BUDGET = 24_576;
/** Of the models that people run on servers of their own, those that take an effort. */
const COMPATIBLE = /^(?:.*\/)?(?:gpt-oss|gpt-[5-9]|o\d)/i;

/** None without a length that it would be a share of. */
function budgetOf(maxTokens: number | undefined, reasoning: Reasoning): number | undefined {
  if (maxTokens === undefined) return undefined;
  const budget = Math.floor(maxTokens * SHARES[reasoning]);
  if (budget >= LEAST_BUDGET) return budget;
  // Half of it is left for the answer itself.
  return maxTokens >= 2 * LEAST_BUDGET ? LEAST_BUDGET : undefined;
}

/** For models that there are no facts about. */
function wayByShape(provider: PublicProvider, model: string): Way {
  if (provider === 'anthropic') {
    if (CLAUDE_WITHOUT.test(model)) return { kind: 'none' };
    return { kind: CLAUDE_WITH_BUDGET.test(model) ? 'budget' : 'effort' };
  }
  if (provider === 'google') {
    if (GEMINI_WITH_LEVEL.test(model)) return { kind: 'level' };
    return { kind: GEMINI_WITH_BUDGET.test(model) ? 'budget' : 'none' };
  }
  return { kind: 'effort' };
}

/** What the vendor calls it. */
function wordOf(way: Way, reasoning: Reasoning): string {
  return ('values' in way ? way.values?.[reasoning] : undefined) ?? reasoning;
}

type Length = number | undefined;

const plainOptions = (maxTokens: Length): ReasoningOptions => ({
  ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
  providerOptions: {},
});

function forAnthropic(way: Way, maxTokens: Length, reasoning: Reasoning): ReasoningOptions {
  const plain = plainOptions(maxTokens);
  if (way.kind === 'effort') return { ...plain, reasoning };
  const budgetTokens = way.kind === 'budget' ? budgetOf(maxTokens, reasoning) : undefined;
  if (maxTokens === undefined || budgetTokens === undefined) return plain;
  return {
    // The package adds the budget to it again.
    maxOutputTokens: maxTokens - budgetTokens,
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens } } },
  };
}

function forGoogle(way: Way, maxTokens: Length, reasoning: Reasoning): ReasoningOptions {
  const plain = plainOptions(maxTokens);
  if (way.kind === 'level') {
    const thinkingLevel = wordOf(way, reasoning);
    return { ...plain, providerOptions: { google: { thinkingConfig: { thinkingLevel } } } };
  }
  const budget = way.kind === 'budget' ? budgetOf(maxTokens, reasoning) : undefined;
  if (budget === undefined) return plain;
  const thinkingBudget = Math.min(budget, GEMINI_MOST_BUDGET);
  return { ...plain, providerOptions: { google: { thinkingConfig: { thinkingBudget } } } };
}

export function reasoningOptions(
  endpoint: { provider: PublicProvider; custom: boolean },
  request: { model: string; maxTokens: Length; reasoning?: Reasoning },
): ReasoningOptions {
  const { model, maxTokens, reasoning } = request;
  const plain = plainOptions(maxTokens);
  if (reasoning === undefined) return plain;
  const { provider } = endpoint;
  const way = findFacts(knownFacts(), provider, model)?.reasoning ?? wayByShape(provider, model);
  if (way.kind === 'none') return plain;
  switch (provider) {
    case 'anthropic':
      return forAnthropic(way, maxTokens, reasoning);
    case 'google':
      return forGoogle(way, maxTokens, reasoning);
    case 'openai': {
      if (endpoint.custom) return COMPATIBLE.test(model) ? { ...plain, reasoning } : plain;
      // The package knows which models reason. Summaries are for verified organizations only.
      return {
        ...plain,
        reasoning: wordOf(way, reasoning) as Reasoning,
        providerOptions: { openai: { reasoningSummary: null } },
      };
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
