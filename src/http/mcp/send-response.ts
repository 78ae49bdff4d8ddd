// Sends what the protocol's handler answers: a message, or a stream of events.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';

export async function sendResponse(reply: FastifyReply, response: Response): Promise<void> {
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
    await pipeline(Readable.fromWeb(response.body), raw);
  } catch {
    // The client is gone; whatever it asked for was told by the signal of its request.
    raw.destroy();
  }
}
