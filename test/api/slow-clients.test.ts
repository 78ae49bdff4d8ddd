import { expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { openSocket, parseAnswer, readAll } from '../support/raw-http.ts';
import { startTestServer } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ role: 'api' });

/** Sends the start of a request and then a byte now and then, until the server closes. */
async function sendSlowly(url: string, start: string): Promise<string> {
  const socket = await openSocket(url);
  const received = readAll(socket);
  socket.write(start);
  const drip = setInterval(() => socket.write(' '), 1000);
  return received.finally(() => clearInterval(drip));
}

function startOf(key: string): string {
  return [
    'POST /api/v1/execute HTTP/1.1',
    'host: x',
    `x-api-key: ${key}`,
    'content-type: application/json',
    'content-length: 1000',
  ].join('\r\n');
}

// The only tests that take as long as the server's own patience: 10 s for headers, 30 s for a
// request, 10 s for a close. They wait beside each other.
it.concurrent.each([
  ['headers', '\r\nx-slow:'],
  ['body', '\r\n\r\n{"streamId":'],
])('a client that never finishes its %s is told so and let go', async (_, rest) => {
  const { key } = await server().createKey();
  const answer = parseAnswer(await sendSlowly(server().url, startOf(key) + rest));
  const error = expectError(answer, 'VALIDATION_ERROR');
  expect(error.message).toBe('The request did not arrive in time.');
  expect(answer.headers.get('connection')).toBe('close');
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  expect((await server().call('GET', '/api/v1/history', { key })).status).toBe(200);
});

it.concurrent('a client that never finishes does not keep the server from stopping', async () => {
  const other = await startTestServer({ role: 'api' });
  const { key } = await other.createKey();
  const sending = sendSlowly(other.url, `${startOf(key)}\r\n\r\n{"streamId":`);
  // The request is under way once its key was looked up.
  await other.call('GET', '/api/v1/history', { key });
  await other.close();
  await sending;
});
