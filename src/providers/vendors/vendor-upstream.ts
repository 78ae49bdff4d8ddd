// Requests of clients as they are, on their way to a vendor. Redirects are not followed: the key would go along.
import { Readable } from 'node:stream';
import { Agent, request as send } from 'undici';
import type { Dispatcher } from 'undici';
import type { Upstream, UpstreamAnswer, UpstreamRequest } from '../upstream.ts';

export interface VendorUpstreams {
  at(baseUrl: string): Upstream;
  close(): Promise<void>;
}

const asText = (value: unknown): string =>
  Buffer.isBuffer(value) ? value.toString('latin1') : String(value);

function bodyOf({ body }: UpstreamRequest): Uint8Array | Readable | null {
  if (typeof body === 'function') return Readable.from(body());
  return body ?? null;
}

export function createVendorUpstreams(): VendorUpstreams {
  // Silence and total time are watched by who calls.
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 10_000 },
    keepAliveTimeout: 4_000,
  });
  async function sendTo(baseUrl: string, request: UpstreamRequest): Promise<UpstreamAnswer> {
    const { method, path, headers, signal } = request;
    const options = {
      method,
      headers: [...headers],
      body: bodyOf(request),
      signal,
      dispatcher: agent,
      responseHeaders: 'raw' as const,
    };
    const answer: Dispatcher.ResponseData = await send(baseUrl + path, options);
    // The reader gets the error; when there is no reader any more, nobody needs it.
    answer.body.on('error', () => undefined);
    const raw = answer.headers as unknown as unknown[];
    return { status: answer.statusCode, headers: raw.map(asText), body: answer.body };
  }
  return {
    at: (baseUrl) => ({ send: (request) => sendTo(baseUrl, request) }),
    close: () => agent.destroy(),
  };
}
