// Sends what the protocol's handler answers: a message, or a stream of events.
import { once } from 'node:events';
import type { FastifyReply } from 'fastify';

/** `signal` aborts when the client is gone; the stream then ends by itself. */
export async function sendResponse(
  reply: FastifyReply,
  response: Response,
  signal: AbortSignal,
): Promise<void> {
  const type = response.headers.get('content-type');
  reply.code(response.status);
  for (const [name, value] of response.headers) {
    // The connection is ours: a client that wants it closed gets it closed.
    if (name !== 'connection') reply.header(name, value);
  }
  if (response.body === null || !type?.startsWith('text/event-stream')) {
    await reply.send(response.body === null ? '' : await response.text());
    return;
  }
  const headers = reply.getHeaders();
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(response.status, { 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  // Before the first event: a client that hears nothing for long takes the server for dead.
  raw.flushHeaders();
  try {
    for await (const chunk of response.body) {
      if (raw.destroyed) break;
      if (!raw.write(chunk)) await once(raw, 'drain', { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    raw.end();
  }
}
