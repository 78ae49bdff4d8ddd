// What is around an answer, whatever it says: its status, its headers, and a body of bytes.
import { randomBytes } from 'node:crypto';
import type { UpstreamAnswer, UpstreamRequest } from '../../upstream.ts';
import { dialectOf } from './dialect.ts';
import type { Dialect } from './dialect.ts';
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

/** Where each puts the name of a request. */
const ID_HEADERS: Readonly<Record<Dialect, string | undefined>> = {
  anthropic: 'request-id',
  chat: 'x-request-id',
  responses: 'x-request-id',
  openrouter: 'x-generation-id',
  google: undefined,
};

export function createAnswerForm(
  request: Pick<UpstreamRequest, 'protocol' | 'provider' | 'path'>,
  isStream: boolean,
): AnswerForm {
  const { path } = request;
  const dialect = dialectOf(request);
  const id = randomBytes(12).toString('hex');
  const requestId = `req_${id}`;
  const isGoogle = dialect === 'google';
  const isSse = !isGoogle || new URLSearchParams(path.split('?')[1]).get('alt') === 'sse';
  const idName = ID_HEADERS[dialect];
  const idHeader =
    idName === undefined ? [] : [idName, dialect === 'openrouter' ? `gen-${id}` : requestId];
  const jsonType = [
    'content-type',
    isGoogle ? 'application/json; charset=UTF-8' : 'application/json',
  ];

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
      const body = failureBody(dialect, failure, requestId);
      // An array is an array from its first byte, whatever is in it.
      const isArray = isStream && !isSse;
      return json(failure.status, isArray ? [body] : body, failure.headers);
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
