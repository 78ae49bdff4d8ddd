import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ role: 'api' });
const CLIENTS = 20;
let open: Socket[] = [];

afterEach(() => {
  for (const socket of open) socket.destroy();
  open = [];
});

/** Sockets of this process, which holds both ends. */
const sockets = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

/** A client that keeps its side open whatever the server does. */
async function stubbornClient(bytes: string): Promise<string> {
  const { hostname, port } = new URL(server().url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  open.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
  await Promise.race([once(socket, 'end'), once(socket, 'close')]);
  return answer;
}

const post = (...lines: string[]) =>
  ['POST /api/v1/execute HTTP/1.1', 'host: x', ...lines, '', ''].join('\r\n');

const REFUSED: [what: string, bytes: string, status: number | 'no answer'][] = [
  ['what is not HTTP', 'hello there\r\n\r\n', 400],
  ['headers above 16 KiB', post(`x-long: ${'y'.repeat(20_000)}`), 413],
  ['a body above 8 MiB', post('content-type: application/json', 'content-length: 90000000'), 401],
  ['a bad length', post('content-length: -1'), 400],
  ['nothing', '', 'no answer'],
  ['half of the headers', 'POST /api/v1/execute HTTP/1.1\r\nhost: x\r\nx-slow:', 400],
  ['half of a body', `${post('content-length: 1000')}{"streamId":`, 401],
];

// Takes as long as the server's own patience: 10 s for headers, 30 s for a request.
it('gives back the sockets of clients that never close', async () => {
  await server().call('GET', '/healthz');
  const before = sockets();
  const clients = REFUSED.flatMap((each) => Array.from({ length: CLIENTS }, () => each));
  await Promise.all(
    clients.map(async ([what, bytes, status]) => {
      const start = status === 'no answer' ? /^$/ : new RegExp(`^HTTP/1.1 ${status} `);
      expect(await stubbornClient(bytes), what).toMatch(start);
    }),
  );
  // Only their own ends are left.
  await waitUntil(() => sockets() <= before + clients.length);
});
