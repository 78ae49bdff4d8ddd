// How long answers may be. Ids of models are never checked against a list; this only keeps a call
// from asking for less than a well-known model can give, or for more than it accepts.
import { MAX_TOKENS_LIMIT } from '../../contract/stream-limits.ts';
import { factsOf, knownFacts } from './model-facts.ts';
import { isSimulatedModel } from './model-routing.ts';

/** What nearly every model accepts. */
export const BASE_MAX_TOKENS = 8192;
/** Longer answers take longer than a job may last. */
const LONGEST = 64_000;

/**
 * For models that there are no facts about, by the shape of their ids: old ones, and those that came out yesterday. The
 * first that matches counts. Ids may carry a vendor in front and a date behind. Models that people run on servers of
 * their own are not here: those servers often allow less.
 */
const OUTPUT_LIMITS: readonly (readonly [RegExp, number])[] = [
  [/^claude-3-7/, 64_000],
  [/^claude-3-5/, 8192],
  [/^claude-(?:3|2|instant)/, 4096],
  [/^claude-/, 64_000],
  [/^gpt-5-chat/, 16_384],
  [/^(?:gpt-(?:[5-9]|\d\d)|codex-)/, 128_000],
  [/^(?:gpt-4o|chatgpt-4o)/, 16_384],
  [/^gpt-(?:4|3)/, 4096],
  [/^o1-preview/, 32_768],
  [/^o1-mini/, 65_536],
  [/^o\d/, 100_000],
  [/^gemini-(?:1|2\.0)/, 8192],
  [/^gemini-/, 65_536],
  [/^deepseek-reasoner/, 64_000],
  [/^grok-[4-9]/, 64_000],
];

/** Output tokens that a call of this model may ask for, when nobody says otherwise and a budget has to cover them. */
export function outputTokensOf(model: string): number {
  return knownLimitOf(model) ?? BASE_MAX_TOKENS;
}

// A job always says how long its answer may be. The most that it can say means, for a model whose limit is not known,
// that nobody asks for a length: the vendor is sent none and allows what it allows by default.

/** What a call of this model says, when nobody asks for a length and no budget has to cover it. */
export function openLengthOf(model: string): number {
  return hasOpenLength(model) ? MAX_TOKENS_LIMIT : outputTokensOf(model);
}

export function isOpenLength(model: string, maxTokens: number): boolean {
  return maxTokens >= MAX_TOKENS_LIMIT && hasOpenLength(model);
}

/** For what needs a figure: a budget reserves it and has the vendor keep to it, and a context leaves room for it. */
export function boundedLength(model: string, maxTokens: number): number {
  return isOpenLength(model, maxTokens) ? BASE_MAX_TOKENS : maxTokens;
}

/** What is simulated is as long as it is asked to be. */
function hasOpenLength(model: string): boolean {
  return model !== '' && knownLimitOf(model) === undefined && !isSimulatedModel(model);
}

/** The longest answer that all models of a vendor can give, as far as their limits are known. */
export function takenByEveryModel(provider: string): number {
  const models = knownFacts().find((file) => file.provider === provider)?.models ?? [];
  const limits = models.flatMap(({ status, maxOutputTokens }) =>
    status === 'retired' || maxOutputTokens === null ? [] : [maxOutputTokens],
  );
  return limits.length === 0 ? BASE_MAX_TOKENS : Math.min(LONGEST, ...limits);
}

/**
 * What a cut-off answer is asked for again with: twice `tokens`, as far as the model is known to give it. What an unknown
 * model allows shows when it is asked. Undefined when there is no more.
 */
export function longerThan(model: string, tokens: number): number | undefined {
  const longer = Math.min(tokens * 2, knownLimitOf(model) ?? MAX_TOKENS_LIMIT);
  return longer > tokens ? longer : undefined;
}

/** The longest answer that the model can give, however long it takes; undefined where that is not known. */
export function longestAnswerOf(model: string): number | undefined {
  const facts = factsOf(model);
  return facts === undefined ? knownLimitOf(model) : (facts.maxOutputTokens ?? undefined);
}

function knownLimitOf(model: string): number | undefined {
  const facts = factsOf(model);
  if (facts !== undefined) {
    return facts.maxOutputTokens === null ? undefined : Math.min(LONGEST, facts.maxOutputTokens);
  }
  const name = model
    .slice(model.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^(?:anthropic|openai|google|gemini|openrouter):/, '')
    .replace(/^claude-(opus|sonnet|haiku)-(\d)\.(\d)/, 'claude-$1-$2-$3')
    .replace(/^claude-3\.(\d)/, 'claude-3-$1');
  const known = OUTPUT_LIMITS.find(([pattern]) => pattern.test(name));
  return known && Math.min(LONGEST, known[1]);
}
