// A server that answers what a test tells it to, request by request.
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Answer =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  /** The connection breaks without an answer. */
  | 'break'
  /** The request is taken and never answered. */
  | 'silent'
  /** The answer starts and never ends. */
  | 'stall';

export interface ScriptedServer {
  url: string;
  seen: Seen[];
  close(): Promise<void>;
}

export async function startScriptedServer(
  answer: (request: Seen, count: number) => Answer,
): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  const respond = (request: IncomingMessage, response: ServerResponse, body: string) => {
    const { method = '', url: path = '', headers } = request;
    const entry = { method, path, headers, body };
    seen.push(entry);
    const told = answer(entry, seen.length);
    if (told === 'break') return response.destroy();
    if (told === 'silent') return response;
    if (told === 'stall') return response.writeHead(200).write('{"status":');
    response.writeHead(told.status, { 'content-type': 'application/json', ...told.headers });
    const text = typeof told.body === 'string' ? told.body : JSON.stringify(told.body ?? {});
    return response.end(text);
  };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => void respond(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
