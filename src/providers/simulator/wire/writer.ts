// How a reply is put into a vendor's language. One writer is for one answer.
import type { Part } from './speak.ts';
import type { Json } from './loose-json.ts';
import type { WireFailure } from './wire-failures.ts';

export interface ReplyHead {
  /** Letters and digits, for the ids of the vendor's forms. */
  id: string;
  model: string;
  /** Seconds, as the vendors count. */
  created: number;
  /** The body of the request: some vendors repeat what they were asked. */
  asked: Json;
  /** All input tokens, and of these what the prompt cache had and what it keeps now. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface ReplyEnd {
  finish: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'stop_sequence';
  stopSequence: string | undefined;
  output: number;
}

export interface Writer {
  /** Of a stream, besides the type of its content. */
  open(): string;
  begin(part: Part): string;
  piece(part: Part, delta: string, output: number): string;
  end(part: Part): string;
  close(end: ReplyEnd, parts: readonly Part[]): string;
  /** In the middle of a stream. */
  failure(failure: WireFailure): string;
  /** All of it, for a client that does not stream. */
  whole(end: ReplyEnd, parts: readonly Part[]): object;
}

export const namedEvent = (data: { type: string; sequence_number?: number }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

export const dataEvent = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

export const textOf = (parts: readonly Part[]) =>
  parts.map(({ call, text }) => (call === undefined ? text : '')).join('');

/** A tier is what was asked for; without one, or where the vendor may choose, the ordinary one. */
export function tierOf({ service_tier }: Json, ordinary: string): string {
  return typeof service_tier === 'string' && service_tier !== 'auto' ? service_tier : ordinary;
}
