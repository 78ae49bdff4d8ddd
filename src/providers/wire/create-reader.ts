// One reader of each wire format, for jobs and for the model endpoint. Every event of every call passes through here,
// so they look at the fields that they need and at nothing else: what they do not know, they skip.
import type { AnswerReader, Delta } from './answer.ts';
import { readAnthropic } from './anthropic.ts';
import { readChat } from './chat.ts';
import { unreadable } from './error.ts';
import { fieldsOf, type Fields } from './fields.ts';
import { readGoogle } from './google.ts';
import type { Protocol } from './protocol.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { readResponses } from './responses.ts';

export interface ProtocolReader {
  event(fields: Fields, name?: string): void;
  whole(fields: Fields): void;
}

const READERS: Record<Protocol, (recorder: Recorder) => ProtocolReader> = {
  anthropic: readAnthropic,
  chat: readChat,
  responses: readResponses,
  google: readGoogle,
};

/** How servers of the chat form, and some that copy other forms, end a stream. What they said before it counts. */
const DONE = '[DONE]';

export function createAnswerReader(
  protocol: Protocol,
  onDelta: (delta: Delta) => void,
  { keepsBlocks = false }: { keepsBlocks?: boolean } = {},
): AnswerReader {
  const recorder = createRecorder(onDelta, keepsBlocks);
  const reader = READERS[protocol](recorder);

  function parsed(data: string): unknown {
    try {
      return JSON.parse(data);
    } catch {
      if (data.trim() !== '') recorder.fail(unreadable('the answer is not JSON'));
      return undefined;
    }
  }

  function take(
    value: unknown,
    read: (fields: Fields, name?: string) => void,
    name?: string,
  ): void {
    if (value === undefined) return;
    const fields = fieldsOf(value);
    if (fields !== undefined) return read(fields, name);
    // Google sends a list where no events were asked for.
    if (protocol !== 'google' || !Array.isArray(value)) {
      return recorder.fail(unreadable('the answer is no JSON object'));
    }
    for (const each of value) {
      const inner = fieldsOf(each);
      if (inner !== undefined) read(inner, name);
    }
  }

  return {
    answer: recorder.answer,
    event(data, name) {
      if (data === DONE) return;
      take(parsed(data), reader.event, name);
    },
    whole(body) {
      take(parsed(body), reader.whole);
    },
  };
}
