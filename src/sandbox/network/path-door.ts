// A door to one server outside, and to one part of it: what does not begin with the path is answered 404
// here. Headers that the process inside must not have (a token) are put in on the way, and those of the same name
// that it sent are dropped. Bodies stream in both directions, byte for byte.
import { createServer, request as overHttp } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as overHttps } from 'node:https';
import { listenOn } from './doors.ts';
import type { Door } from './doors.ts';

export interface PathDoor {
  /** Inside, on 127.0.0.1. */
  port: number;
  /** Outside; what is asked for lies below its path. */
  server: URL;
  /** Begins and ends with a slash. */
  path: string;
  /** Asked of every request, in one of these headers: where others can reach the door, too. */
  key?: string;
  /** In lower case. */
  headers: Readonly<Record<string, string>>;
  /** Undefined lets the request pass; otherwise it is answered 403 with this text. */
  refuse?(request: DoorRequest): string | undefined;
  onAnswer?(request: DoorRequest, answer: DoorAnswer): void;
}

export interface DoorRequest {
  method: string;
  url: string;
}

export interface DoorAnswer {
  /** 0 where the server could not be reached. */
  status: number;
  durationMs: number;
  /** The beginning of the body of an error. */
  error: string;
}

const KEPT_ERROR = 4096;

/** Whether all readers agree that a path is below the prefix: no dots, nothing encoded that leads elsewhere. */
export function isBelow(prefix: string, url: string): boolean {
  const [path = ''] = url.split(/[?#]/, 1);
  if (!path.startsWith(prefix) || path.includes('\\') || path.includes('//')) return false;
  if (/%(?:2e|2f|5c|00|25)/i.test(path)) return false;
  return !path.split('/').some((part) => part === '.' || part === '..');
}

function headersFor(incoming: IncomingMessage, { server, headers }: PathDoor): string[] {
  const kept: string[] = [];
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = incoming.rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (lower !== 'host' && lower !== 'connection' && !(lower in headers)) kept.push(name, value);
  }
  kept.push('host', server.host);
  for (const [name, value] of Object.entries(headers)) kept.push(name, value);
  return kept;
}

function hasKey({ headers }: IncomingMessage, door: PathDoor): boolean {
  if (door.key === undefined) return true;
  return Object.keys(door.headers).some((name) => {
    const value = headers[name];
    return value === door.key || value === `Bearer ${door.key}`;
  });
}

function pass(incoming: IncomingMessage, response: ServerResponse, door: PathDoor): void {
  const url = incoming.url ?? '';
  if (!isBelow(door.path, url)) {
    response.writeHead(404, { 'content-type': 'text/plain', connection: 'close' });
    response.end('There is nothing here.\n');
    return;
  }
  if (!hasKey(incoming, door)) {
    response.writeHead(401, { 'content-type': 'text/plain', connection: 'close' });
    response.end('This door needs its key.\n');
    return;
  }
  const asked: DoorRequest = { method: incoming.method ?? 'GET', url };
  const refused = door.refuse?.(asked);
  if (refused !== undefined) {
    response.writeHead(403, { 'content-type': 'text/plain', connection: 'close' });
    response.end(`${refused}\n`);
    return;
  }
  const { server } = door;
  const startedAt = performance.now();
  const send = server.protocol === 'https:' ? overHttps : overHttp;
  const outgoing = send({
    host: server.hostname.replace(/^\[|\]$/g, ''),
    port: server.port,
    method: incoming.method,
    path: server.pathname.replace(/\/$/, '') + url,
    headers: headersFor(incoming, door),
    agent: false,
  });
  const answer: DoorAnswer = { status: 0, durationMs: 0, error: '' };
  response.on('close', () => {
    answer.durationMs = Math.round(performance.now() - startedAt);
    door.onAnswer?.(asked, answer);
  });
  outgoing.on('response', (answered) => {
    answer.status = answered.statusCode ?? 0;
    if (answer.status >= 400) {
      answered.on('data', (piece: Buffer) => {
        if (answer.error.length < KEPT_ERROR) answer.error += piece.toString('utf8');
      });
    }
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
