// The longest answer that a vendor allows, as its refusal of a longer one says. Each says it in its own words;
// where none of these is found, there is no limit to go by.
import type { OutputLimit } from '../provider.ts';

/** In each, the number is the limit. */
const OF_MODEL: readonly RegExp[] = [
  // OpenAI
  /supports at most (\d{1,9}) completion tokens/i,
  // Anthropic
  /max_tokens: \d{1,9} > (\d{1,9})/i,
  // DeepSeek, Alibaba
  /(?:valid )?range of max_(?:completion_)?tokens (?:is|should be) \[\d{1,9}, ?(\d{1,9})\]/i,
  // Groq
  /max_(?:completion_)?tokens`? must be less than or equal to `?(\d{1,9})/i,
  // OpenAI's Responses, ByteDance
  /max_(?:completion_|output_)?tokens\b[^]{0,100}?expected a value <= (\d{1,9})/i,
  // Bedrock, and those that pass its words on
  /maximum tokens you requested exceeds the model limit of (\d{1,9})/i,
];
/** Gemini */
const BELOW = /supported range is from \d{1,9} \(inclusive\) to (\d{1,9}) \(exclusive\)/i;

const CONTEXT = /maximum context length is (\d{1,9}) tokens/i;
/** What of the request is input, as OpenAI, vLLM and OpenRouter count it; there may be several kinds. */
const INPUT =
  /(\d{1,9}) (?:input tokens|in the messages|in your prompt|of (?:text|tool|image|file|audio) input)/gi;
/** Anthropic: input + answer > context. */
const SUM = /exceed context limit: (\d{1,9}) \+ \d{1,9} > (\d{1,9})/i;
/** Hugging Face's server. */
const TOTAL = /`?inputs`? tokens \+ `?max_new_tokens`? must be <= (\d{1,9})\. Given: (\d{1,9})/i;

/** Undefined where the length of the answer is not what was refused. */
export function outputLimitIn(said: string): OutputLimit | undefined {
  const text = said.slice(0, 4000);
  for (const pattern of OF_MODEL) {
    const found = pattern.exec(text);
    if (found) return limit('model', Number(found[1]));
  }
  const below = BELOW.exec(text);
  if (below) return limit('model', Number(below[1]) - 1);
  const sum = SUM.exec(text);
  if (sum) return limit('context', Number(sum[2]) - Number(sum[1]));
  const total = TOTAL.exec(text);
  if (total) return limit('context', Number(total[1]) - Number(total[2]));
  return roomIn(text);
}

function roomIn(text: string): OutputLimit | undefined {
  const context = CONTEXT.exec(text);
  if (context === null) return undefined;
  // A body often repeats the message: what was counted once must not count again.
  const [said] = text.slice(context.index + context[0].length).split(CONTEXT);
  const inputs = new Map(
    [...said!.matchAll(INPUT)].map(([kind, tokens]) => [kind, Number(tokens)]),
  );
  if (inputs.size === 0) return undefined;
  const input = [...inputs.values()].reduce((all, tokens) => all + tokens, 0);
  return limit('context', Number(context[1]) - input);
}

function limit(of: OutputLimit['of'], tokens: number): OutputLimit | undefined {
  return Number.isInteger(tokens) && tokens > 0 ? { tokens, of } : undefined;
}
