// Reads an answer that is nothing but text, which nearly all are. The vendors' packages can read
// everything, but send each event through five streams and a schema, which costs more than all the rest
// of a job. So a reader of our own takes the events that it knows for certain. At the first one that it
// does not know (a tool, an error, a text that is no JSON, an end that comes too early) it leaves the
// answer to the package, together with what the package must know of the events before.
import { createParser } from 'eventsource-parser';

export interface PlainReader {
  /** Takes an event; false when it is not one that a plain answer has. */
  take(event: unknown): boolean;
  /** Whether all of the answer is there, if nothing more comes. */
  isComplete(): boolean;
  /** Whether the last event says that it is the last. */
  hasEnded(): boolean;
  /** The events that were taken, without their texts, for the vendor's package to read. */
  replay(): unknown[];
}

/** The rest of an answer that is left to the vendor's package. */
export interface Rest {
  kind: 'rest';
  body: ReadableStream<Uint8Array>;
}

export type PlainReading = { kind: 'read' } | Rest;

const asLine = (data: string) => `data: ${data}\n\n`;

/** Servers of the chat form say so at the end. */
const DONE = '[DONE]';

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** `asError` turns what broke a body into what the packages expect. */
export async function readPlainAnswer(
  body: AsyncIterable<Uint8Array>,
  reader: PlainReader,
  asError: (error: unknown) => unknown,
): Promise<PlainReading> {
  const decoder = new TextDecoder();
  /** What was not taken, from the first such event on. */
  const left: string[] = [];
  let isPlain = true;
  let isDone = false;
  const parser = createParser({
    onEvent({ data }) {
      isDone ||= data === DONE;
      isPlain &&= data === DONE || reader.take(parsed(data));
      if (!isPlain) left.push(asLine(data));
    },
  });
  const chunks = body[Symbol.asyncIterator]();

  function handOver(next: (send: (text: string) => void) => Promise<boolean>): Rest {
    const encoder = new TextEncoder();
    const replayed = reader.replay().map((event) => asLine(JSON.stringify(event)));
    let waiting = [...replayed, ...left.splice(0)];
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        let isOver = false;
        try {
          while (waiting.length === 0 && !isOver) {
            isOver = !(await next((text) => waiting.push(text)));
          }
        } catch (error) {
          // An error overtakes what is still on its way through the streams of the package.
          await new Promise((resolve) => setImmediate(resolve));
          controller.error(asError(error));
          return;
        }
        if (waiting.length > 0) controller.enqueue(encoder.encode(waiting.join('')));
        waiting = [];
        if (isOver) controller.close();
      },
      cancel: () => void chunks.return?.(),
    });
    return { kind: 'rest', body: stream };
  }

  for (;;) {
    let chunk: IteratorResult<Uint8Array>;
    try {
      chunk = await chunks.next();
    } catch (error) {
      // What breaks after the end breaks nothing.
      const hasEnded = isDone || reader.hasEnded();
      if (isPlain && hasEnded && reader.isComplete()) return { kind: 'read' };
      return handOver(() => Promise.reject(error));
    }
    if (chunk.done === true) {
      if (isPlain && reader.isComplete()) return { kind: 'read' };
      return handOver(async () => false);
    }
    parser.feed(decoder.decode(chunk.value, { stream: true }));
    if (!isPlain) {
      return handOver(async (send) => {
        const { done, value } = await chunks.next();
        if (done === true) return false;
        parser.feed(decoder.decode(value, { stream: true }));
        left.splice(0).forEach(send);
        return true;
      });
    }
  }
}

/** The fields of an object, or nothing. */
export function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
