// A vendor's answer on its way to the client. The bytes go through as they came; beside them they are read, for what the
// call used, how it ended, and when it has used up what was reserved for it.
import {
  createBrotliDecompress,
  createInflate,
  createUnzip,
  createZstdDecompress,
} from 'node:zlib';
import type { Transform } from 'node:stream';
import type { AnswerReader } from '../providers/wire/answer.ts';
import { createEventFrames } from './event-frames.ts';
import type { Mask } from './mask.ts';

/** Enough for any answer; of a longer one the usage is not read. */
const MOST_READ = 64 * 1024 * 1024;

export interface Passing {
  reader: AnswerReader;
  mask: Mask;
  /** Server-sent events, not one body. */
  isEvents: boolean;
  /** Of the answer; undefined: none. */
  coding: string | undefined;
  /** The chunk with the usage was not asked for by the client. Such an answer goes out decoded. */
  removesUsage: boolean;
  /** Called with every chunk: the vendor is alive. */
  onBytes(): void;
  /** Whether what was reserved is used up. */
  isUsedUp(): boolean;
  /** The event that says so. */
  lastEvent(): Uint8Array;
}

/** The answer quotes the key inside of a coding, where it cannot be hidden. */
export class KeyInAnswer extends Error {}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

interface Decoder {
  push(chunk: Uint8Array): Promise<Uint8Array>;
  end(): Promise<Uint8Array>;
}

/** Undefined for a coding that nobody here knows. */
function decoderOf(coding: string): Decoder | undefined {
  const transform = DECODERS[coding]?.();
  if (transform === undefined) return undefined;
  let decoded: Uint8Array[] = [];
  const take = () => {
    const taken = Buffer.concat(decoded);
    decoded = [];
    return taken;
  };
  transform.on('data', (piece: Uint8Array) => decoded.push(piece));
  const failed = new Promise<never>((_, reject) => transform.once('error', reject));
  failed.catch(() => undefined);
  return {
    async push(chunk) {
      const written = new Promise<void>((resolve) => transform.write(chunk, () => resolve()));
      await Promise.race([written, failed]);
      return take();
    },
    async end() {
      const ended = new Promise<void>((resolve) => transform.once('end', resolve));
      transform.end();
      await Promise.race([ended, failed]);
      return take();
    },
  };
}

function isOnlyUsage(data: string): boolean {
  if (!data.includes('"usage"')) return false;
  try {
    const { choices, usage } = JSON.parse(data) as { choices?: unknown; usage?: unknown };
    const isObject = typeof usage === 'object' && usage !== null;
    return Array.isArray(choices) && choices.length === 0 && isObject;
  } catch {
    return false;
  }
}

/** Ends early when what was reserved is used up; fails when the vendor breaks off. */
export function passOn(
  body: AsyncIterable<Uint8Array>,
  passing: Passing,
): AsyncGenerator<Uint8Array, void> {
  const { coding, isEvents, removesUsage } = passing;
  if (!isEvents) return passWhole(body, passing);
  if (coding === undefined) return passEvents(body, passing);
  return removesUsage ? passEvents(decoded(body, coding), passing) : passCoded(body, passing);
}

async function* decoded(
  body: AsyncIterable<Uint8Array>,
  coding: string,
): AsyncGenerator<Uint8Array, void> {
  const decoder = decoderOf(coding);
  if (decoder === undefined) throw new Error(`the answer is coded as ${coding}`);
  for await (const chunk of body) yield decoder.push(chunk);
  yield decoder.end();
}

async function* passEvents(
  body: AsyncIterable<Uint8Array>,
  passing: Passing,
): AsyncGenerator<Uint8Array, void> {
  const { reader, mask, removesUsage } = passing;
  const frames = createEventFrames();
  /** Of an event that is not whole, where it may have to be left out. */
  let held: Uint8Array[] = [];
  for await (const chunk of body) {
    passing.onBytes();
    let from = 0;
    for (const { end, data, name } of frames.push(chunk)) {
      if (data !== '') reader.event(data, name);
      if (removesUsage) {
        const event = Buffer.concat([...held, chunk.subarray(from, end)]);
        from = end;
        held = [];
        if (isOnlyUsage(data)) continue;
        yield mask.push(event);
      }
      if (!passing.isUsedUp()) continue;
      yield mask.push(chunk.subarray(from, end));
      yield mask.end();
      yield passing.lastEvent();
      return;
    }
    const rest = chunk.subarray(from);
    if (rest.length === 0) continue;
    if (removesUsage) held.push(Uint8Array.from(rest));
    else yield mask.push(rest);
  }
  for (const piece of held) yield mask.push(piece);
  yield mask.end();
}

/** Events inside of a coding: they are read, but nothing can be put between them. */
async function* passCoded(
  body: AsyncIterable<Uint8Array>,
  passing: Passing,
): AsyncGenerator<Uint8Array, void> {
  const frames = createEventFrames();
  const read = (text: Uint8Array) => {
    for (const { data, name } of frames.push(text))
      if (data !== '') passing.reader.event(data, name);
  };
  yield* passBeside(body, passing, read);
}

async function* passWhole(
  body: AsyncIterable<Uint8Array>,
  passing: Passing,
): AsyncGenerator<Uint8Array, void> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const keep = (piece: Uint8Array) => {
    bytes += piece.length;
    if (bytes <= MOST_READ) pieces.push(Uint8Array.from(piece));
  };
  yield* passBeside(body, passing, keep);
  if (bytes <= MOST_READ) passing.reader.whole(Buffer.concat(pieces).toString('utf8'));
}

async function* passBeside(
  body: AsyncIterable<Uint8Array>,
  passing: Passing,
  read: (text: Uint8Array) => void,
): AsyncGenerator<Uint8Array, void> {
  const { coding, mask } = passing;
  const decoder = coding === undefined ? undefined : decoderOf(coding);
  const look = (text: Uint8Array) => {
    mask.push(text);
    if (mask.hasFound()) throw new KeyInAnswer('the answer quotes the key');
    read(text);
  };
  for await (const chunk of body) {
    passing.onBytes();
    if (coding === undefined) {
      read(chunk);
      yield mask.push(chunk);
      continue;
    }
    if (decoder !== undefined) look(await decoder.push(chunk));
    yield chunk;
    // Nothing can be said inside of a coding: the connection breaks off.
    if (passing.isUsedUp()) throw new Error('what was reserved is used up');
  }
  if (coding === undefined) yield mask.end();
  else if (decoder !== undefined) look(await decoder.end());
}
