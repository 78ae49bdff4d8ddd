// Closing without cutting anybody off: requests under way are answered, streams and long-polls end
// early, and connections that are only kept alive are closed. Without this the framework's close
// waits for keep-alive connections to time out. A request that still comes over an open connection is
// answered like any other: its client could not know, and all that serves it is there until the last
// connection is closed.
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../contract/errors.ts';

const CLOSE_IDLE_EVERY_MS = 50;
/** Node no longer times requests once it closes: a client that never finishes its own would hold us up. */
const CLOSE_ALL_AFTER_MS = 10_000;

export function stoppingError(): ServiceError {
  const message = 'This server is shutting down. Try again.';
  return new ServiceError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 1 });
}

/** `isLeaving`: requests are still welcome, but over another connection and soon on another node. */
export function installGracefulClose(app: FastifyInstance, isLeaving: () => boolean): AbortSignal {
  const stopping = new AbortController();
  let sweep: NodeJS.Timeout | undefined;
  let last: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    stopping.abort();
    sweep = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
    last = setTimeout(() => app.server.closeAllConnections(), CLOSE_ALL_AFTER_MS);
  });
  app.addHook('onClose', async () => {
    clearInterval(sweep);
    clearTimeout(last);
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (stopping.signal.aborted || isLeaving()) reply.header('connection', 'close');
    done();
  });
  return stopping.signal;
}
