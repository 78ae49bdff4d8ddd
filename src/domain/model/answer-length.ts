// How long an answer may be where nobody says it: long enough for most changes, longer where whole files
// of the stream would not fit, and shorter where a budget could not cover it.
import { BASE_MAX_TOKENS, isOpenLength, openLengthOf, outputTokensOf } from './model-limits.ts';

/** A cap that is not used costs nothing, but a budget has to set it aside while the call is open. */
const USUAL_MAX_TOKENS = 32_000;

/** Of a budget, what one call may reserve before its cap gives way: others run beside it. */
const BUDGET_SHARE = 0.25;

/** A file that is written anew takes what it has, what is added, and the words around it. */
const GROWTH = 1.25;
const WORDS_AROUND = 1_500;

export function tokensToRewrite(ownedTokens: number): number {
  return Math.ceil(ownedTokens * GROWTH) + WORDS_AROUND;
}

export interface SpendingLimit {
  maxCostUsd: number | undefined;
  priceOf(model: string, tokens: { input: number; output: number }): number | null;
}

/** `ownedTokens`: of the files that the answer may have to hold. */
export function defaultMaxTokens(model: string, ownedTokens = 0, limit?: SpendingLimit): number {
  const maxCostUsd = limit?.maxCostUsd;
  const open = openLengthOf(model);
  if (maxCostUsd === undefined && isOpenLength(model, open)) return open;
  const most = outputTokensOf(model);
  const wanted = Math.min(most, Math.max(USUAL_MAX_TOKENS, tokensToRewrite(ownedTokens)));
  if (limit === undefined || maxCostUsd === undefined) return wanted;
  const share = maxCostUsd * BUDGET_SHARE;
  const fits = (output: number) => (limit.priceOf(model, { input: 0, output }) ?? 0) <= share;
  let tokens = wanted;
  while (tokens > BASE_MAX_TOKENS && !fits(tokens)) {
    tokens = Math.max(BASE_MAX_TOKENS, Math.floor(tokens / 2));
  }
  return tokens;
}
