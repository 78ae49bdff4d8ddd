// How much a model is asked to think, in the words of each vendor, as the facts about it say. Of models without facts the
// id has to say it: those that do not reason, or that are not known to, are asked as if nothing had been said, because
// some vendors refuse a call for it.
//
// Thinking is paid for as output. Where it gets a budget of its own, it is taken out of `maxTokens` and
// never comes on top: what a call may cost at most is settled before it is made.
import type { Reasoning } from '../../contract/fields.ts';
import type { ModelFacts } from '../../domain/model/facts-schema.ts';
import { findFacts, knownFacts } from '../../domain/model/model-facts.ts';
import type { PublicProvider } from '../../domain/model/model-routing.ts';
import type { VendorEndpoint } from './endpoint.ts';

export type Thinking =
  /** `word`: what the vendor calls it. */
  { kind: 'effort' | 'level'; word: string } | { kind: 'budget'; tokens: number };

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
const OPENAI_WITH_EFFORT = /^(?:o\d|gpt-(?:[5-9]|\d\d)(?!-chat))/;
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
  switch (provider) {
    case 'anthropic':
      if (!model.startsWith('claude-') || CLAUDE_WITHOUT.test(model)) return { kind: 'none' };
      return { kind: CLAUDE_WITH_BUDGET.test(model) ? 'budget' : 'effort' };
    case 'google':
      if (GEMINI_WITH_LEVEL.test(model)) return { kind: 'level' };
      return { kind: GEMINI_WITH_BUDGET.test(model) ? 'budget' : 'none' };
    case 'openai':
      return { kind: OPENAI_WITH_EFFORT.test(model) ? 'effort' : 'none' };
    case 'openrouter':
      return { kind: 'effort' };
  }
}

function wayOf(provider: PublicProvider, model: string): Way {
  return findFacts(knownFacts(), provider, model)?.reasoning ?? wayByShape(provider, model);
}

/** Whether OpenAI's model thinks, whether it is asked to or not. */
export function isReasoningModel(model: string): boolean {
  return wayOf('openai', model).kind !== 'none';
}

/** Undefined: the model is left to itself. */
export function thinkingOf(
  { provider, custom }: Pick<VendorEndpoint, 'provider' | 'custom'>,
  call: { model: string; maxTokens: number | undefined; reasoning?: Reasoning },
): Thinking | undefined {
  const { model, maxTokens, reasoning } = call;
  if (reasoning === undefined) return undefined;
  if (provider === 'openai' && custom) {
    return COMPATIBLE.test(model) ? { kind: 'effort', word: reasoning } : undefined;
  }
  const way = wayOf(provider, model);
  switch (way.kind) {
    case 'none':
      return undefined;
    case 'effort':
    case 'level':
      return { kind: way.kind, word: way.values?.[reasoning] ?? reasoning };
    case 'budget': {
      const tokens = budgetOf(maxTokens, reasoning);
      if (tokens === undefined) return undefined;
      const most = provider === 'google' ? GEMINI_MOST_BUDGET : Infinity;
      return { kind: 'budget', tokens: Math.min(tokens, most) };
    }
  }
}

/** Vendors refuse a call for a temperature that its model does not take. */
export function takesTemperature(
  { provider, custom }: Pick<VendorEndpoint, 'provider' | 'custom'>,
  model: string,
  thinking: Thinking | undefined,
): boolean {
  // OpenRouter leaves out what a model does not take.
  if (provider === 'openrouter' || (provider === 'openai' && custom)) return true;
  const facts = findFacts(knownFacts(), provider, model);
  if (facts?.refuses.includes('temperature')) return false;
  if (provider === 'openai') return !isReasoningModel(model);
  if (provider !== 'anthropic') return true;
  return (
    thinking === undefined && (facts !== undefined || wayOf(provider, model).kind !== 'effort')
  );
}
