// Adds a key to requests, for clients that cannot send one, and changes nothing else.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function startBearerProxy(to: string, key: string) {
  const { hostname, port } = new URL(to);
  const server = createServer((asked, reply) => {
    const { method, url: path } = asked;
    const headers = { ...asked.headers, authorization: `Bearer ${key}` };
    const onward = request({ hostname, port, method, path, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    onward.on('error', () => reply.destroy());
    reply.on('close', () => onward.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
