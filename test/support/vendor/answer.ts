import { createHash } from 'node:crypto';
import type { Options, Stop, UsageKind } from './options.ts';
import { askedTier, promptText, tokenLimit, wantsUsageChunk } from './prompt-text.ts';

/** What the model says and what it costs, before any vendor's wire format. */
export interface Answer {
  id: string;
  model: string;
  /** Seconds, as the vendors count. */
  created: number;
  pieces: readonly string[];
  thoughts: readonly string[];
  stop: Stop;
  usage: Usage;
  usageKind: UsageKind;
  includeUsage: boolean;
  /** As the client asked for it. */
  askedTier: string | undefined;
  /** What the answer reports at its end, in the vendor's words. */
  tier: string | undefined;
}

export interface Usage {
  /** All of the input, cache reads and writes included. */
  input: number;
  /** All of the output, reasoning included. */
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Of what was written, what is kept for an hour. */
  cacheWriteHour: number;
  reasoning: number;
  cost: number;
}

export const DEFAULT_CHUNKS = 8;

// Words of one to four bytes a character, so that a client which cuts bytes instead of characters
// is found out.
const WORDS = ['water', 'turns', 'große', 'Räder', 'naïve', '日本語', 'below', 'the', 'mill', '🌊'];

export interface AnswerRequest {
  number: number;
  model: string;
  body: unknown;
  options: Options;
}

export function composeAnswer({ number, model, body, options }: AnswerRequest): Answer {
  const prompt = promptText(body);
  const digest = createHash('sha256').update(prompt).digest();
  const all = pieces(options, digest);
  const limit = Math.max(0, Math.floor(tokenLimit(body)));
  const said = all.length > limit ? all.slice(0, limit) : all;
  const stop = options.stop ?? (said.length < all.length ? 'length' : 'stop');
  const thoughts = words(options.thinking ?? 0, digest.subarray(16));
  const input = options.input ?? Math.ceil(JSON.stringify(body ?? null).length / 4);
  const output = options.output ?? said.length + thoughts.length;
  return {
    id: `${digest.toString('hex', 0, 8)}${number.toString().padStart(8, '0')}`,
    model,
    created: Math.floor(Date.now() / 1000),
    pieces: stop === 'blocked' ? [] : said,
    thoughts,
    stop,
    usage: {
      input,
      output,
      cacheRead: options.cacheRead ?? 0,
      cacheWrite: options.cacheWrite ?? 0,
      cacheWriteHour: options.cacheWriteHour ?? 0,
      reasoning: thoughts.length,
      cost: options.cost ?? (input + 4 * output) / 1e6,
    },
    usageKind: options.usage ?? 'normal',
    includeUsage: wantsUsageChunk(body),
    askedTier: askedTier(body),
    tier: options.tier === 'none' ? undefined : (options.tier ?? askedTier(body)),
  };
}

function pieces(options: Options, digest: Buffer): readonly string[] {
  const { text } = options;
  if (text === undefined) return words(options.chunks ?? DEFAULT_CHUNKS, digest);
  const letters = Array.from(text);
  const count = Math.max(1, Math.min(options.chunks ?? DEFAULT_CHUNKS, letters.length));
  return Array.from({ length: count }, (_, i) =>
    letters.slice((i * letters.length) / count, ((i + 1) * letters.length) / count).join(''),
  );
}

/** The same prompt gets the same words, another prompt other ones. */
function words(count: number, digest: Buffer): string[] {
  return Array.from({ length: count }, (_, i) => {
    const word = WORDS[((digest[i % digest.length] ?? 0) + i) % WORDS.length] ?? '';
    return i === 0 ? word : ` ${word}`;
  });
}

/** The whole text that the default answer to a prompt has, for tests that compare it. */
export function defaultText(prompt: string, chunks = DEFAULT_CHUNKS): string {
  return words(chunks, createHash('sha256').update(prompt).digest()).join('');
}
