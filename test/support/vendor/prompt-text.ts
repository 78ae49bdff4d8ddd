// What the user said, read from a request body of any vendor. Reads what may be anything, so it
// takes nothing for granted.

type Json = Record<string, unknown>;

/** All text of the user's turns, in order; system prompts and earlier answers do not count. */
export function promptText(body: unknown): string {
  const { messages, input, contents } = record(body);
  if (typeof input === 'string') return input;
  const turns = list(messages ?? input ?? contents).map(record);
  return turns
    .filter((turn) => turn.role === 'user' || turn.role === undefined)
    .map((turn) => textOf(turn.content ?? turn.parts))
    .join('\n');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => record(part).text)
    .filter((text) => typeof text === 'string')
    .join('\n');
}

/** The most tokens that the client wants, under each vendor's name for it. */
export function tokenLimit(body: unknown): number {
  const { max_tokens, max_completion_tokens, max_output_tokens, generationConfig } = record(body);
  const limit =
    max_tokens ??
    max_completion_tokens ??
    max_output_tokens ??
    record(generationConfig).maxOutputTokens;
  return typeof limit === 'number' ? limit : Infinity;
}

/** The tier that the client wants; undefined when it leaves it to the vendor. */
export function askedTier(body: unknown): string | undefined {
  const { service_tier, serviceTier } = record(body);
  const tier = service_tier ?? serviceTier;
  return typeof tier === 'string' ? tier : undefined;
}

export function wantsUsageChunk(body: unknown): boolean {
  return record(record(body).stream_options).include_usage === true;
}

export function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
