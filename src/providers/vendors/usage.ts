// What a call used. Vendors report it at the end; after an abort some have reported part of it, and
// the rest is estimated from the text and marked as such.
import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import { estimateTokenCount } from 'tokenx';
import type { Usage } from '../provider.ts';

/** What the frames on the wire reported so far. */
export interface PartialUsage {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWriteHour?: number;
  output?: number;
}

/** No call is that large. A figure beyond it, or a fraction, could not be stored with the job. */
const MOST_TOKENS = 100_000_000;

export const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS;
const count = (value: unknown): number => (isCount(value) ? value : 0);

type Frame = Record<string, unknown> | undefined;
const inner = (value: unknown, name: string): Frame => {
  if (typeof value !== 'object' || value === null) return undefined;
  const found = (value as Record<string, unknown>)[name];
  return typeof found === 'object' && found !== null
    ? (found as Record<string, unknown>)
    : undefined;
};

/** Of Anthropic's figures, which say how long what was written is kept; others do not. */
function keptForAnHour(usage: unknown, cacheWrite: number): { cacheWriteHour?: number } {
  const written = count(inner(usage, 'cache_creation')?.['ephemeral_1h_input_tokens']);
  return written === 0 ? {} : { cacheWriteHour: Math.min(written, cacheWrite) };
}

/** Anthropic reports the input with the first frame; Gemini a running total with every one. */
export function partialUsage(frame: unknown): PartialUsage | undefined {
  const anthropic = inner(inner(frame, 'message'), 'usage');
  if (isCount(anthropic?.['input_tokens'])) {
    const cacheRead = count(anthropic['cache_read_input_tokens']);
    const cacheWrite = count(anthropic['cache_creation_input_tokens']);
    return {
      input: anthropic['input_tokens'] + cacheRead + cacheWrite,
      cacheRead,
      cacheWrite,
      ...keptForAnHour(anthropic, cacheWrite),
    };
  }
  const google = inner(frame, 'usageMetadata');
  if (isCount(google?.['promptTokenCount'])) {
    return {
      input: google['promptTokenCount'],
      cacheRead: count(google['cachedContentTokenCount']),
      cacheWrite: 0,
      output: count(google['candidatesTokenCount']) + count(google['thoughtsTokenCount']),
    };
  }
  return undefined;
}

/** The vendor's final figures, unless they are missing or make no sense. */
export function finalUsage(usage: LanguageModelV4Usage | undefined): Usage | undefined {
  const input = usage?.inputTokens.total;
  const output = usage?.outputTokens.total;
  if (!isCount(input) || !isCount(output)) return undefined;
  const cacheRead = Math.min(input, count(usage?.inputTokens.cacheRead));
  const cacheWrite = Math.min(input - cacheRead, count(usage?.inputTokens.cacheWrite));
  const hour = keptForAnHour(usage?.raw, cacheWrite);
  return { input, output, cacheRead, cacheWrite, ...hour, estimated: false };
}

export function estimatedUsage(
  prompt: string,
  text: string,
  partial: PartialUsage | undefined,
): Usage {
  const input = partial?.input ?? estimateTokenCount(prompt);
  return {
    input,
    // A running total lags behind the text that has arrived since it was sent.
    output: Math.max(partial?.output ?? 0, estimateTokenCount(text)),
    cacheRead: Math.min(input, partial?.cacheRead ?? 0),
    cacheWrite: partial?.cacheWrite ?? 0,
    ...(partial?.cacheWriteHour !== undefined && { cacheWriteHour: partial.cacheWriteHour }),
    estimated: true,
  };
}
