// What a client makes of a vendor's events, by the vendor's documentation and nothing else.
import type { Api } from './plain-client.ts';
import { readEvents } from './plain-client.ts';

export type Json = Record<string, unknown>;

/** What lies under a path of keys in data of which nothing is known. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Json | undefined | null)?.[key], value);
}

export function parsed(body: string): Json[] {
  return readEvents(body)
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data) as Json);
}

/** The text, the stop reason and the usage as each vendor's documentation says to read them. */
export function understood(
  api: Api,
  events: Json[],
): { text: string; stop: unknown; usage: unknown } {
  const last = events.at(-1);
  const all = (...path: (string | number)[]) => events.map((event) => at(event, ...path));
  const first = (...path: (string | number)[]) => all(...path).find(Boolean);
  const text = (pieces: unknown[]) => pieces.filter((piece) => typeof piece === 'string').join('');
  if (api === 'anthropic') {
    const usages = [first('message', 'usage'), first('usage')] as Json[];
    return {
      text: text(all('delta', 'text')),
      stop: first('delta', 'stop_reason'),
      usage: { ...usages[0], ...usages[1] },
    };
  }
  if (api === 'openai') {
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
    return {
      text: text(deltas.map(({ delta }) => delta)),
      stop: at(last, 'response', 'incomplete_details', 'reason') ?? at(last, 'response', 'status'),
      usage: at(last, 'response', 'usage'),
    };
  }
  if (api === 'google') {
    const parts = all('candidates', 0, 'content', 'parts', 0);
    const said = parts.filter((part) => at(part, 'thought') !== true);
    return {
      text: text(said.map((part) => at(part, 'text'))),
      stop: at(last, 'candidates', 0, 'finishReason'),
      usage: at(last, 'usageMetadata'),
    };
  }
  return {
    text: text(all('choices', 0, 'delta', 'content')),
    stop: first('choices', 0, 'finish_reason'),
    usage: first('usage'),
  };
}
