// Reads answers of scripted vendors and shows what came of them.
import { createAnswerReader } from '../../../src/providers/wire/create-reader.ts';
import { createAnswerFeed } from '../../../src/providers/wire/feed.ts';
import type { AnswerSoFar, Delta } from '../../../src/providers/wire/answer.ts';
import type { Protocol } from '../../../src/providers/wire/protocol.ts';

export interface Reading {
  answer: AnswerSoFar;
  deltas: Delta[];
}

/** Each event is an object, or a text as it is on the wire. */
export function readEvents(protocol: Protocol, events: readonly unknown[]): Reading {
  const deltas: Delta[] = [];
  const reader = createAnswerReader(protocol, (delta) => deltas.push(delta));
  for (const event of events) {
    reader.event(typeof event === 'string' ? event : JSON.stringify(event));
  }
  return { answer: reader.answer, deltas };
}

export function readWhole(protocol: Protocol, body: unknown): Reading {
  const deltas: Delta[] = [];
  const reader = createAnswerReader(protocol, (delta) => deltas.push(delta));
  reader.whole(typeof body === 'string' ? body : JSON.stringify(body));
  return { answer: reader.answer, deltas };
}

/** As bytes in chunks of this size, whatever they cut. */
export function readChunks(
  protocol: Protocol,
  body: Uint8Array,
  { size, type = 'text/event-stream' }: { size: number; type?: string },
): Reading {
  const deltas: Delta[] = [];
  const reader = createAnswerReader(protocol, (delta) => deltas.push(delta));
  const feed = createAnswerFeed(reader, type);
  for (let from = 0; from < body.length; from += size) feed.write(body.subarray(from, from + size));
  feed.end();
  return { answer: reader.answer, deltas };
}

/** What the deltas come to: they have to say the same as the answer. */
export function joined(deltas: readonly Delta[]) {
  const of = (kind: 'text' | 'thought') =>
    deltas.map((delta) => (delta.kind === kind ? delta.text : '')).join('');
  const calls = new Map<string, { id: string; name: string; arguments: string }>();
  for (const delta of deltas) {
    if (delta.kind !== 'tool') continue;
    const call = calls.get(delta.id) ?? { id: delta.id, name: delta.name ?? '', arguments: '' };
    calls.set(delta.id, { ...call, arguments: call.arguments + delta.text });
  }
  return { text: of('text'), thought: of('thought'), toolCalls: [...calls.values()] };
}
