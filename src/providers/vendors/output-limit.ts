// The longest answer that a vendor allows, as its refusal of a longer one says. Each says it in its own words;
// where none of these is found, there is no limit to go by.

/** In each, the numbers whose last one, or whose difference, is the limit. */
const SAID: readonly RegExp[] = [
  // OpenAI
  /supports at most (\d{1,9}) completion tokens/i,
  // Anthropic
  /max_tokens: \d{1,9} > (\d{1,9})/i,
  // DeepSeek and others
  /valid range of max_tokens is \[\d{1,9}, ?(\d{1,9})\]/i,
  // Groq
  /max_(?:completion_)?tokens`? must be less than or equal to `?(\d{1,9})/i,
];
/** Gemini */
const BELOW = /supported range is from \d{1,9} \(inclusive\) to (\d{1,9}) \(exclusive\)/i;
/** vLLM: what the prompt leaves of the context. */
const OF_CONTEXT =
  /maximum context length is (\d{1,9}) tokens[^]{0,200}?(\d{1,9}) (?:input tokens|in the messages)/i;

/** Undefined where the length of the answer is not what was refused. */
export function outputLimitIn(said: string): number | undefined {
  const text = said.slice(0, 4000);
  for (const pattern of SAID) {
    const found = pattern.exec(text);
    if (found) return positive(Number(found[1]));
  }
  const below = BELOW.exec(text);
  if (below) return positive(Number(below[1]) - 1);
  const context = OF_CONTEXT.exec(text);
  return context ? positive(Number(context[1]) - Number(context[2])) : undefined;
}

function positive(count: number): number | undefined {
  return Number.isInteger(count) && count > 0 ? count : undefined;
}
