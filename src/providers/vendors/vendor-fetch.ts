// HTTP towards vendors, in the form of `fetch` that the vendors' packages expect, on undici's plain
// requests: its own `fetch` costs three times as much a call. Two defaults of fetch would hurt besides: it
// follows redirects and carries the key along to wherever they lead, and it gives up after five minutes
// of silence, which a model may need. Silence and total time are watched by the job instead.
import { AsyncLocalStorage } from 'node:async_hooks';
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createInflate, createUnzip } from 'node:zlib';
import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import { readPlainAnswer } from './plain/plain-reader.ts';
import type { PlainReader } from './plain/plain-reader.ts';

/** The maker of a call can read its answer here, before the vendor's package does: see plain-reader.ts. */
export const plainReaders = new AsyncLocalStorage<PlainReader>();

/** Thrown when nothing of the answer is left for the package. Nobody but the caller sees it. */
export const ANSWER_READ = new Error('The answer has been read.');

export interface VendorHttp {
  fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

/** What the packages and ourselves send. */
interface SentRequest {
  method?: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** As fetch fails: the packages know a broken connection by this text. */
function asFetchError(error: unknown, text: string, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? signal.reason : new TypeError(text, { cause: error });
}

const DECODERS: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Nobody asks for compressed answers, but some proxies send them all the same. */
function decoded({ body, headers }: Dispatcher.ResponseData): Readable {
  const decoder = DECODERS[String(headers['content-encoding'] ?? '').toLowerCase()];
  // The reader of the decoded text gets the error.
  return decoder === undefined ? body : pipeline(body, decoder(), () => undefined);
}

function streamOf(body: Readable, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(asFetchError(error, 'terminated', signal));
        }
      },
      cancel: () => void body.destroy(),
    },
    { highWaterMark: 0 },
  );
}

function headersOf(headers: Dispatcher.ResponseData['headers']): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((one): [string, string] => [name, one]),
  );
}

function isEventStream({ statusCode, headers }: Dispatcher.ResponseData): boolean {
  return statusCode === 200 && /^text\/event-stream\b/i.test(String(headers['content-type']));
}

const WITHOUT_BODY = new Set([204, 205, 304]);

export function createVendorHttp(): VendorHttp {
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 10_000 },
    keepAliveTimeout: 4_000,
  });
  async function send(url: string, init: SentRequest = {}): Promise<Response> {
    const { method = 'GET', headers = {}, body = null, signal } = init;
    let answer: Dispatcher.ResponseData;
    try {
      const options = { method, headers, body, dispatcher: agent };
      answer = await request(url, signal ? { ...options, signal } : options);
    } catch (error) {
      throw asFetchError(error, 'fetch failed', signal);
    }
    const { statusCode: status } = answer;
    // The reader gets the error; when there is no reader any more, nobody needs it.
    answer.body.on('error', () => undefined);
    if (status >= 300 && status < 400) {
      answer.body.destroy();
      const cause = new Error(`unexpected redirect (status ${status})`);
      throw asFetchError(cause, 'fetch failed', signal);
    }
    const respond = (stream: ReadableStream<Uint8Array> | null) =>
      new Response(stream, { status, headers: headersOf(answer.headers) });
    if (WITHOUT_BODY.has(status)) return respond(null);
    const reader = plainReaders.getStore();
    if (reader === undefined || !isEventStream(answer)) {
      return respond(streamOf(decoded(answer), signal));
    }
    const reading = await readPlainAnswer(decoded(answer), reader, (error) =>
      asFetchError(error, 'terminated', signal),
    );
    if (reading.kind === 'read') throw ANSWER_READ;
    return respond(reading.body);
  }

  return {
    fetch: (url, init) => send(url as string, init as SentRequest),
    close: () => agent.destroy(),
  };
}
