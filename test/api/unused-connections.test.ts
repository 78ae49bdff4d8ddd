import { once } from 'node:events';
import { expect, it } from 'vitest';
import { openSocket, parseAnswer, readAll } from '../support/raw-http.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ role: 'api' });

const HEADERS_MS = 10_000;
const CHECK_EVERY_MS = 2_000;

it('are closed without an answer that nobody asked for', async () => {
  expect(await readAll(await openSocket(server().url))).toBe('');
});

it('are not closed when a request has come while the server stood still', async () => {
  const socket = await openSocket(server().url);
  const received = readAll(socket);
  // The server has taken the connection when it has answered on a later one.
  expect((await server().call('GET', '/healthz')).status).toBe(200);
  const standStill = Promise.withResolvers<void>();
  // From here the next thing to come are the timers, all of them late, and only then what has arrived.
  setImmediate(() => {
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HEADERS_MS + 2 * CHECK_EVERY_MS);
    standStill.resolve();
  });
  await standStill.promise;
  expect(parseAnswer(await received).status).toBe(200);
  if (!socket.closed) await once(socket, 'close');
});
