// Networks cut answers anywhere: inside of a line, of an escape, of a character.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createListSplitter } from '../../../src/providers/wire/list-splitter.ts';
import type { Protocol } from '../../../src/providers/wire/protocol.ts';
import { SEED, effort } from '../../support/effort.ts';
import { joined, readChunks } from './read.ts';

const SAID = 'Räder 日本語 🌊 "quoted" \\ [x] {y},';

const STREAMS: Record<Protocol, object[]> = {
  anthropic: [
    { type: 'message_start', message: { model: 'm', usage: { input_tokens: 9 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: SAID } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 5 },
    },
    { type: 'message_stop' },
  ],
  chat: [
    { choices: [{ index: 0, delta: { content: SAID } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 9, completion_tokens: 5 } },
  ],
  responses: [
    { type: 'response.output_text.delta', output_index: 0, delta: SAID },
    {
      type: 'response.completed',
      response: { status: 'completed', usage: { input_tokens: 9, output_tokens: 5 } },
    },
  ],
  google: [
    { candidates: [{ content: { parts: [{ text: SAID }] } }] },
    {
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5 },
    },
  ],
};
const PROTOCOLS = Object.keys(STREAMS) as Protocol[];
const WHOLE = { text: SAID, finish: 'stop', isComplete: true, usage: { input: 9, output: 5 } };

const asEvents = (events: object[], newline: string) =>
  Buffer.from(
    `: hello${newline}${newline}` +
      events.map((event) => `data: ${JSON.stringify(event)}${newline}${newline}`).join(''),
  );

it.each(PROTOCOLS)('%s is read the same wherever its events are cut', (protocol) => {
  for (const newline of ['\n', '\r\n']) {
    const body = asEvents(STREAMS[protocol], newline);
    for (const size of [1, 2, 3, 5, 7, 64, body.length]) {
      const { answer, deltas } = readChunks(protocol, body, { size });
      expect(answer).toMatchObject(WHOLE);
      expect(joined(deltas).text).toBe(SAID);
    }
  }
});

it.each(PROTOCOLS)('%s is whole only when all of it came', (protocol) => {
  const body = asEvents(STREAMS[protocol], '\n');
  const ends = Array.from({ length: body.length }, (_, end) => end).map((end) =>
    readChunks(protocol, body.subarray(0, end), { size: body.length }),
  );
  // No answer is whole before the event that ends it, and none is an error for being cut.
  const firstWhole = ends.findIndex(({ answer }) => answer.isComplete);
  const endsAt = protocol === 'chat' ? body.lastIndexOf('data: ') : body.length;
  if (protocol === 'chat') expect(firstWhole).toBe(endsAt);
  else expect(firstWhole).toBe(-1);
  expect(ends.every(({ answer }) => answer.error === undefined)).toBe(true);
});

it('a list without events is read as it comes, however it is written and cut', () => {
  const type = 'application/json; charset=UTF-8';
  for (const space of [0, 2]) {
    const body = Buffer.from(`\n ${JSON.stringify(STREAMS.google, null, space)}\n`);
    for (const size of [1, 3, 64, body.length]) {
      expect(readChunks('google', body, { size, type }).answer).toMatchObject(WHOLE);
    }
    const cut = readChunks('google', body.subarray(0, body.lastIndexOf('}') - 4), {
      size: 9,
      type,
    });
    expect(cut.answer).toMatchObject({ text: SAID, isComplete: false, error: undefined });
  }
});

it('an answer that is no stream is read when it is over', () => {
  const body = Buffer.from(
    JSON.stringify({
      choices: [{ message: { content: SAID }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 5 },
    }),
  );
  const type = 'application/json';
  expect(readChunks('chat', body, { size: 1, type }).answer).toMatchObject(WHOLE);
  const page = Buffer.from('<html>busy</html>');
  expect(readChunks('chat', page, { size: 5, type: 'text/html' }).answer).toMatchObject({
    isComplete: false,
    error: { code: 'unreadable_answer' },
  });
});

it('any list is cut into its elements', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      (list, size) => {
        const found: unknown[] = [];
        const splitter = createListSplitter((text) => found.push(JSON.parse(text)));
        const text = JSON.stringify(list, null, size % 3);
        for (let from = 0; from < text.length; from += size) {
          splitter.write(text.slice(from, from + size));
        }
        expect(found).toEqual(JSON.parse(text));
      },
    ),
    { numRuns: effort(200), seed: SEED },
  );
});

it('nothing that a server sends throws', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...PROTOCOLS),
      fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }),
      fc.jsonValue({ maxDepth: 2 }),
      (protocol, places, odd) => {
        const events = places.map((place) => bent(STREAMS[protocol], place, odd));
        const body = asEvents([...events, ...STREAMS[protocol]].flat(), '\n');
        const { answer, deltas } = readChunks(protocol, body, { size: 100 });
        const { text, thought } = joined(deltas);
        expect({ text, thought }).toEqual({ text: answer.text, thought: answer.thought });
        expect(answer.text).toContain(SAID);
      },
    ),
    { numRuns: effort(400), seed: SEED },
  );
});

/** The same events with something else in the place of one of their values. */
function bent(events: object[], place: number, odd: unknown): object[] {
  let at = 0;
  const known = JSON.stringify(events);
  const other = JSON.parse(known, (_name, value: unknown) => (at++ === place ? odd : value));
  return Array.isArray(other) ? (other as object[]) : [];
}
