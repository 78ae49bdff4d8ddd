// What a stream may take. The input is what it would be asked with now; the output comes from earlier
// runs, or from the size of its files before anything has run.
import type { ServiceTier } from '../../contract/fields.ts';
import type { FeatureStream, ModelChoice, WorkflowStream } from '../../manifest/model.ts';
import { utf8Length } from '../artifact/utf8-length.ts';
import { defaultMaxTokens } from '../model/answer-length.ts';
import { dearest } from '../usage/largest-cost.ts';

/** Code and prose of the usual kinds, with the tokenizers of the usual vendors. */
export const BYTES_PER_TOKEN = 3.6;
/** Of what is only estimated so far: prose has about four and a half. */
const MOST_BYTES_PER_TOKEN = 5;
/** The instructions that go with every stream. */
const OVERHEAD_TOKENS = 500;
const OUTPUT_SHARE = 0.35;
const MIN_OUTPUT_TOKENS = 500;
const FIRST_TOKEN_MS = 1500;
const TOKENS_PER_SECOND = 60;

export interface Estimate {
  inputTokens: number;
  outputTokens: number;
  /** null: nobody knows the price. */
  costUsd: number | null;
  durationMs: number;
}

/** One stream: what it probably takes, and one call of it at the most. */
export interface StreamEstimate {
  estimate: Estimate;
  largestCall: Pick<Estimate, 'inputTokens' | 'outputTokens' | 'costUsd'>;
}

const NOTHING = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
export const NO_ESTIMATE: StreamEstimate = {
  estimate: { ...NOTHING, durationMs: 0 },
  largestCall: NOTHING,
};

/** The prompt that would be sent now. */
export interface PreparedPrompt {
  tokens: number;
  /** As a budget counts them before the call. */
  mostTokens: number;
  /** Of the files that the answer may have to hold. */
  ownTokens: number;
  /** What the answer will have, where that is known before. */
  answerTokens?(model: string, maxTokens: number): number | undefined;
}

export interface EstimateDeps {
  /** Bytes of the files that the entries name, each counted once. */
  bytesOf(entries: readonly string[]): number;
  priceOf(
    model: string,
    tokens: { input: number; output: number; cacheWrite?: number },
    tier?: ServiceTier,
  ): number | null;
  promptOf?(streamId: string): PreparedPrompt | undefined;
  /** Output tokens that streams of this manifest took in the last run. */
  earlier?: ReadonlyMap<string, number>;
}

/** The mean of the others, where the stream itself has not run yet. */
function fromEarlier({ earlier }: EstimateDeps, id: string): number | undefined {
  if (earlier === undefined || earlier.size === 0) return undefined;
  const all = [...earlier.values()];
  return earlier.get(id) ?? Math.round(all.reduce((sum, each) => sum + each, 0) / all.length);
}

/** What of a stream its size depends on. */
export type SizedStream =
  | Pick<FeatureStream, 'id' | 'owns' | 'reads' | 'plan'>
  | Pick<WorkflowStream, 'id' | 'files' | 'plan'>;

export function estimateStream(
  deps: EstimateDeps,
  stream: SizedStream,
  choice: ModelChoice,
  /** Tokens that streams before it will have written, of what it is shown. */
  toCome = 0,
): StreamEstimate {
  const { id } = stream;
  const { model } = choice;
  const owns = 'owns' in stream ? stream.owns : [];
  const reads = 'reads' in stream ? stream.reads : stream.files;
  const prompt = deps.promptOf?.(id);
  const bytes = () => deps.bytesOf([...owns, ...reads]) + utf8Length(stream.plan ?? '');
  const shown = prompt?.tokens ?? Math.round(bytes() / BYTES_PER_TOKEN) + OVERHEAD_TOKENS;
  const inputTokens = shown + toCome;
  const ownTokens = prompt?.ownTokens ?? Math.round(deps.bytesOf(owns) / BYTES_PER_TOKEN);
  const maxTokens = choice.maxTokens ?? defaultMaxTokens(model ?? '', ownTokens);
  const likely =
    (model === undefined ? undefined : prompt?.answerTokens?.(model, maxTokens)) ??
    fromEarlier(deps, id) ??
    Math.max(Math.round(deps.bytesOf(owns) * OUTPUT_SHARE), MIN_OUTPUT_TOKENS);
  const outputTokens = Math.min(likely, maxTokens);
  // As a run reserves it, which is certain only for what could be shown now.
  const mostInput =
    (prompt?.mostTokens ?? bytes() + OVERHEAD_TOKENS * MOST_BYTES_PER_TOKEN) +
    toCome * MOST_BYTES_PER_TOKEN;
  const priceOf = (
    tokens: { input: number; output: number; cacheWrite?: number },
    tier?: ServiceTier,
  ) => (model === undefined ? null : deps.priceOf(model, tokens, tier));
  return {
    estimate: {
      inputTokens,
      outputTokens,
      costUsd: priceOf({ input: inputTokens, output: outputTokens }, choice.serviceTier),
      durationMs: FIRST_TOKEN_MS + Math.round((outputTokens / TOKENS_PER_SECOND) * 1000),
    },
    largestCall: {
      inputTokens: mostInput,
      outputTokens: maxTokens,
      // Also for flex, which may end as a call at the standard tier.
      costUsd: dearest((tokens) => priceOf(tokens), { input: mostInput, output: maxTokens }),
    },
  };
}
