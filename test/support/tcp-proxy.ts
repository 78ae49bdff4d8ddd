import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export interface TcpProxy {
  /** The given URL, by way of the proxy. */
  url: string;
  /** From now on nothing passes, and nobody is told: what a pulled cable looks like. */
  silence(): void;
  /** Ends all connections and lets no new one live: what a stopped database looks like. */
  sever(): void;
  /** New connections pass again; the silenced ones stay silent. */
  restore(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(targetUrl: string, host = '127.0.0.1'): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const pairs = new Set<[Socket, Socket]>();
  let silent = false;
  let severed = false;

  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    const pair: [Socket, Socket] = [near, far];
    for (const socket of pair) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    if (severed) {
      near.destroy();
      far.destroy();
      return;
    }
    if (silent) return;
    pairs.add(pair);
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const url = new URL(targetUrl);
  url.hostname = host;
  url.port = String(typeof address === 'object' ? address?.port : '');

  return {
    url: url.href,
    silence() {
      silent = true;
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
      pairs.clear();
    },
    sever() {
      severed = true;
      for (const socket of sockets) socket.destroy();
    },
    restore() {
      silent = false;
      severed = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
