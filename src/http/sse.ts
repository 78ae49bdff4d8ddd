// Server-sent events over a response that is taken out of the framework's hands.
import { once } from 'node:events';
import type { FastifyReply } from 'fastify';

export interface ServerSentEvent {
  id: string;
  event: string;
  /** One line. */
  data: string;
}

const KEEP_ALIVE_MS = 15_000;

/** Sends events until they end or the reader is gone; a slow reader slows the source down. */
export async function sendEvents(
  reply: FastifyReply,
  events: AsyncIterable<ServerSentEvent>,
  signal: AbortSignal,
): Promise<void> {
  const headers = reply.getHeaders();
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  const keepAlive = setInterval(() => raw.write(': keep-alive\n\n'), KEEP_ALIVE_MS);
  try {
    for await (const { id, event, data } of events) {
      if (raw.destroyed) break;
      const flowing = raw.write(`id: ${id}\nevent: ${event}\ndata: ${data}\n\n`);
      if (!flowing) await once(raw, 'drain', { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(keepAlive);
    raw.end();
  }
}

/** Aborts when the caller goes away or the server stops. */
export function goneSignal(reply: FastifyReply, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, stopping]);
}
