// What is around an answer, whatever it says: its status, its headers, and a body of bytes.
import { randomBytes } from 'node:crypto';
import type { UpstreamAnswer, UpstreamRequest } from '../../upstream.ts';
import type { Protocol } from '../../wire/protocol.ts';
import { failureBody } from './wire-failures.ts';
import type { WireFailure } from './wire-failures.ts';

export interface AnswerForm {
  /** Letters and digits, for the ids of what is in the answer. */
  id: string;
  /** Events, where the vendor has a choice; otherwise its streams are one JSON array. */
  isSse: boolean;
  json(body: object): UpstreamAnswer;
  /** A whole answer whose body does not come as it should. */
  brokenJson(body: AsyncIterable<Uint8Array>): UpstreamAnswer;
  stream(body: AsyncIterable<Uint8Array>): UpstreamAnswer;
  refusal(failure: WireFailure): UpstreamAnswer;
}

const JSON_TYPES: Readonly<Record<Protocol, string>> = {
  anthropic: 'application/json',
  chat: 'application/json',
  responses: 'application/json',
  google: 'application/json; charset=UTF-8',
};

export function createAnswerForm({
  protocol,
  path,
  isStream,
}: Pick<UpstreamRequest, 'protocol' | 'path' | 'isStream'>): AnswerForm {
  const id = randomBytes(12).toString('hex');
  const requestId = `req_${id}`;
  const isSse =
    protocol !== 'google' || new URLSearchParams(path.split('?')[1]).get('alt') === 'sse';
  const idHeader = {
    anthropic: ['request-id', requestId],
    chat: ['x-request-id', requestId],
    responses: ['x-request-id', requestId],
    google: [],
  }[protocol];
  const jsonType = ['content-type', JSON_TYPES[protocol]];

  function json(status: number, body: object, headers: readonly string[] = []): UpstreamAnswer {
    const bytes = Buffer.from(JSON.stringify(body));
    const length = ['content-length', String(bytes.length)];
    return {
      status,
      headers: [...jsonType, ...length, ...idHeader, ...headers],
      body: once(bytes),
    };
  }

  return {
    id,
    isSse,
    json: (body) => json(200, body),
    brokenJson: (body) => ({ status: 200, headers: [...jsonType, ...idHeader], body }),
    stream(body) {
      const type = [
        'content-type',
        'text/event-stream; charset=utf-8',
        'cache-control',
        'no-cache',
      ];
      return { status: 200, headers: [...(isSse ? type : jsonType), ...idHeader], body };
    },
    refusal(failure) {
      const body = failureBody(protocol, failure, requestId);
      // An array is an array from its first byte, whatever is in it.
      const isArray = isStream && !isSse;
      return json(failure.status, isArray ? [body] : body, failure.headers);
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
