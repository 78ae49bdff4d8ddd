// Stands in front of a server and counts the event streams that are open through it.
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** The pages of the server ask below a path of their own. */
const EVENTS = /^GET \S*\/api\/v1\/events\?/m;

export interface StreamCounter {
  url: string;
  /** Now. */
  open(): number;
  close(): void;
}

export async function countStreams(target: string): Promise<StreamCounter> {
  const { hostname, port } = new URL(target);
  const streaming = new Set<unknown>();
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        streaming.delete(client);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (data) => {
      // A connection that streams takes no other request before it ends.
      if (EVENTS.test(data.toString('latin1'))) streaming.add(client);
      else streaming.delete(client);
    });
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => streaming.size,
    close() {
      server.close();
      sockets.forEach((socket) => socket.destroy());
    },
  };
}
