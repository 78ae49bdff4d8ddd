// The bytes of an answer on the way to its reader: cut into events, wherever the network cut them.
import { createParser } from 'eventsource-parser';
import type { AnswerReader } from './answer.ts';
import { createListSplitter } from './list-splitter.ts';

export interface AnswerFeed {
  write(chunk: Uint8Array): void;
  /** No more bytes come. An event that has not ended by then does not count. */
  end(): void;
}

/** An answer as a stream of events, whatever its headers say. */
export function createEventFeed(reader: AnswerReader): AnswerFeed {
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: ({ data, event }) => reader.event(data, event) });
  return {
    write: (chunk) => parser.feed(decoder.decode(chunk, { stream: true })),
    end: () => undefined,
  };
}

/** An answer as one JSON text; of a list, each element is read as soon as it is there. */
function createBodyFeed(reader: AnswerReader): AnswerFeed {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let splitter: ReturnType<typeof createListSplitter> | undefined;
  let isKnown = false;

  function take(text: string): void {
    if (!isKnown && text.trim() !== '') {
      isKnown = true;
      if (text.trimStart().startsWith('['))
        splitter = createListSplitter((data) => reader.event(data));
    }
    if (splitter === undefined) pieces.push(text);
    else splitter.write(text);
  }

  return {
    write: (chunk) => take(decoder.decode(chunk, { stream: true })),
    end() {
      take(decoder.decode());
      if (splitter === undefined) reader.whole(pieces.join(''));
    },
  };
}

/** By the type that the answer says it has. */
export function createAnswerFeed(
  reader: AnswerReader,
  contentType: string | undefined,
): AnswerFeed {
  const isEvents = /^text\/event-stream\b/i.test(contentType ?? '');
  return isEvents ? createEventFeed(reader) : createBodyFeed(reader);
}
