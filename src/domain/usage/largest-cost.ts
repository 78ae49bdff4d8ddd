// What a call may cost at most, known before it is made. Budgets reserve this amount, so it must never be
// less than the bill; it may well be more, and the difference is given back when the call ends.
import { utf8Length } from '../artifact/utf8-length.ts';

/** Roles, separators and the like, which vendors add around what they are sent. */
const FRAME_TOKENS = 100;

/**
 * A token is at least one byte of the text, with every tokenizer in use: rare scripts and emoji come close
 * to that, random letters and digits take half as many, English prose a quarter.
 */
export function mostInputTokens(prompt: string): number {
  return utf8Length(prompt) + FRAME_TOKENS;
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
