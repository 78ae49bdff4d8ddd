// What a call may cost at most, known before it is made. Budgets reserve this amount, so it must never be
// less than the bill; it may well be more, and the difference is given back when the call ends.
import { utf8Length } from '../artifact/utf8-length.ts';
import type { ServiceTier } from '../../contract/fields.ts';
import type { Conversation } from '../../contract/conversation-api.ts';
import { textsOf } from '../prompt/conversation.ts';
import { boundedLength } from '../model/model-limits.ts';
import { isSimulatedProvider } from '../model/model-routing.ts';

/** Roles, separators and the like, which vendors add around what they are sent. */
const FRAME_TOKENS = 100;

/**
 * A token is at least one byte of the text, with every tokenizer in use: rare scripts and emoji come close
 * to that, random letters and digits take half as many, English prose a quarter.
 */
export function mostInputTokens(prompt: string): number {
  return utf8Length(prompt) + FRAME_TOKENS;
}

/** Vendors put instructions of their own before the first tool. */
const TOOL_TOKENS = 2000;

export function mostTokensOf(conversation: Conversation): number {
  const { messages, tools } = conversation;
  let tokens =
    FRAME_TOKENS * (messages.length + tools.length) + (tools.length > 0 ? TOOL_TOKENS : 0);
  for (const text of textsOf(conversation)) tokens += utf8Length(text);
  return tokens;
}

export interface CallUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Of `cacheWrite`: kept for an hour, which some vendors charge more for. */
  cacheWriteHour?: number;
  estimated: boolean;
}

/** Null when the price is not known. */
export function dearest(
  price: (usage: CallUsage) => number | null,
  { input, output, keptForAnHour }: { input: number; output: number; keptForAnHour?: boolean },
): number | null {
  const plain = { input, output, cacheRead: 0, cacheWrite: 0, estimated: true };
  // Some vendors charge more for what they write to their cache, and more again to keep it for an hour.
  const cached = { ...plain, cacheWrite: input };
  const ways: CallUsage[] = [plain, cached];
  if (keptForAnHour === true) ways.push({ ...cached, cacheWriteHour: input });
  const costs = ways.map(price);
  return costs.some((cost) => cost === null) ? null : Math.max(...(costs as number[]));
}

/** Dollars, or null when the price is not known. Without a tier at the standard price. */
export type Price = (
  provider: string,
  model: string,
  usage: CallUsage,
  tier?: ServiceTier,
) => number | null;

export interface PricedCall {
  provider: string;
  model: string;
  prompt: string;
  /** Instead of the prompt, of a turn of a conversation. */
  conversation?: Conversation;
  maxTokens: number;
  keptForAnHour?: boolean;
  serviceTier?: ServiceTier | null | undefined;
}

export function largestCost(price: Price, call: PricedCall): number | null {
  if (isSimulatedProvider(call.provider)) return 0;
  const { provider, model, prompt, conversation, maxTokens, keptForAnHour = false } = call;
  const output = boundedLength(`${provider}:${model}`, maxTokens);
  const input = conversation ? mostTokensOf(conversation) : mostInputTokens(prompt);
  const most = { input, output, keptForAnHour };
  const standard = dearest((usage) => price(provider, model, usage), most);
  if (call.serviceTier !== 'flex') return standard;
  // It may be sent as standard after all, so that is what it may cost; but it is refused where either price is unknown.
  const flex = dearest((usage) => price(provider, model, usage, 'flex'), most);
  return flex === null || standard === null ? null : Math.max(flex, standard);
}

/**
 * How long an answer may be so that the call keeps within `limitUsd`: between `least` and `most`
 * tokens. A cap that is not used costs nothing, but has to be reserved while the call is open.
 */
export function affordableTokens(
  price: Price,
  call: Omit<PricedCall, 'maxTokens'>,
  limitUsd: number,
  { least, most }: { least: number; most: number },
): number {
  const fits = (maxTokens: number) => {
    const cost = largestCost(price, { ...call, maxTokens });
    return cost !== null && cost <= limitUsd;
  };
  if (most <= least || fits(most)) return most;
  let low = least;
  let high = most;
  // Prices grow with the tokens, but not always by the same amount.
  while (high - low > 64) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
