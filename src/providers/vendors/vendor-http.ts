// HTTP towards vendors, on undici's plain requests: `fetch` costs three times as much a call. Redirects are refused, because
// the key would travel to wherever they lead. There are no time limits but for the connection, because a model may be
// silent for long: silence and total time are watched by the job.
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createInflate, createUnzip } from 'node:zlib';
import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';

export interface VendorRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

export interface VendorAnswer {
  status: number;
  /** By names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Decompressed. Fails when the connection breaks, and by the request's signal. */
  body: AsyncIterable<Uint8Array>;
}

export interface VendorHttp {
  /** Fails only when there is no answer: a refusal is one. */
  send(url: string, request: VendorRequest): Promise<VendorAnswer>;
  close(): Promise<void>;
}

/** Some servers turn a client away that has none. */
const NAME = { 'user-agent': 'millrace' };

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

function headersOf(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
}

export function createVendorHttp(): VendorHttp {
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 10_000 },
    keepAliveTimeout: 4_000,
  });
  return {
    async send(url, { method = 'GET', headers = {}, body = null, signal }) {
      const sent = { ...NAME, ...headers };
      const options = { method, headers: sent, body, dispatcher: agent };
      const answer = await request(url, signal ? { ...options, signal } : options);
      const { statusCode: status } = answer;
      // The reader gets the error; when there is no reader any more, nobody needs it.
      answer.body.on('error', () => undefined);
      if (status >= 300 && status < 400) {
        answer.body.destroy();
        throw new Error(`unexpected redirect (status ${status})`);
      }
      return { status, headers: headersOf(answer.headers), body: decoded(answer) };
    },
    close: () => agent.destroy(),
  };
}
