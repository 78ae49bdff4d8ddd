// A door to one server outside, and to one part of it: what does not begin with the path is answered 404
// here. Headers that the process inside must not have (a token) are put in on the way, and those of the same name
// that it sent are dropped. Bodies stream in both directions, byte for byte.
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listenOn } from './doors.ts';
import type { Door } from './doors.ts';

export interface PathDoor {
  /** Inside, on 127.0.0.1. */
  port: number;
  /** Outside: http, where the server listens. */
  target: { host: string; port: number };
  /** Begins and ends with a slash. */
  path: string;
  /** In lower case. */
  headers: Readonly<Record<string, string>>;
}

/** Whether all readers agree that a path is below the prefix: no dots, nothing encoded that leads elsewhere. */
export function isBelow(prefix: string, url: string): boolean {
  const [path = ''] = url.split(/[?#]/, 1);
  if (!path.startsWith(prefix) || path.includes('\\') || path.includes('//')) return false;
  if (/%(?:2e|2f|5c|00|25)/i.test(path)) return false;
  return !path.split('/').some((part) => part === '.' || part === '..');
}

function headersFor(incoming: IncomingMessage, { target, headers }: PathDoor): string[] {
  const kept: string[] = [];
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = incoming.rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (lower !== 'host' && lower !== 'connection' && !(lower in headers)) kept.push(name, value);
  }
  kept.push('host', `${target.host}:${target.port}`);
  for (const [name, value] of Object.entries(headers)) kept.push(name, value);
  return kept;
}

function pass(incoming: IncomingMessage, response: ServerResponse, door: PathDoor): void {
  const url = incoming.url ?? '';
  if (!isBelow(door.path, url)) {
    response.writeHead(404, { 'content-type': 'text/plain', connection: 'close' });
    response.end('There is nothing here.\n');
    return;
  }
  const { host, port } = door.target;
  const outgoing = httpRequest({
    host,
    port,
    method: incoming.method,
    path: url,
    headers: headersFor(incoming, door),
    agent: false,
  });
  outgoing.on('response', (answered) => {
    const headers = [...answered.rawHeaders];
    for (let at = headers.length - 2; at >= 0; at -= 2) {
      if (/^(?:connection|keep-alive)$/i.test(headers[at]!)) headers.splice(at, 2);
    }
    response.writeHead(answered.statusCode ?? 502, headers);
    response.flushHeaders();
    // Half an answer is broken off, never ended as if it were whole.
    answered.on('error', () => response.destroy()).pipe(response);
  });
  outgoing.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502, { connection: 'close' }).end();
  });
  // A client that goes away closes the call outside at once.
  response.on('close', () => outgoing.destroy());
  incoming.on('error', () => outgoing.destroy()).pipe(outgoing);
}

export function pathDoor(door: PathDoor): Door {
  return {
    port: door.port,
    open: (socket) =>
      listenOn(
        createServer((incoming, response) => pass(incoming, response, door)),
        socket,
      ),
  };
}
