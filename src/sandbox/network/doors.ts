// Doors of a sandbox: sockets outside that a loopback port inside leads to. The proxy of a network policy is
// one; a server that a process inside needs, and nothing else of it, is another.
import { closeSync, openSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { basename, dirname } from 'node:path';

/** The path of a socket, or a port of 127.0.0.1 where processes inside share the loopback of the machine. */
export type DoorPlace = string | number;

export interface Door {
  /** On 127.0.0.1 inside. */
  port: number;
  /** Starts what answers there; it is closed when the command has ended. */
  open(place: DoorPlace): Promise<OpenDoor>;
}

export interface OpenDoor {
  close(): Promise<void>;
}

/**
 * Only we may connect: the folder of the socket is closed to other users. Names of sockets may have 107 characters,
 * and paths of state folders are longer than that; so the folder is called by its descriptor.
 */
export async function listenOn(server: Server, place: DoorPlace): Promise<OpenDoor> {
  const open = new Set<Socket>();
  server.on('connection', (connection: Socket) => {
    open.add(connection);
    connection.on('error', () => connection.destroy());
    connection.once('close', () => open.delete(connection));
  });
  const where = typeof place === 'number' ? { host: '127.0.0.1', port: place } : shortened();
  function shortened() {
    const socket = String(place);
    const folder = openSync(dirname(socket), 'r');
    server.once('close', () => closeSync(folder));
    return { path: `/proc/self/fd/${folder}/${basename(socket)}` };
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const one of open) one.destroy();
      }),
  };
}
