// HTTP by hand, for requests that no client library would send.
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { once } from 'node:events';

export interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  body: Record<string, unknown>;
}

/** Sends the bytes as they are, in order, and waits until the server closes the connection. */
export async function rawRequest(url: string, ...parts: (string | Buffer)[]): Promise<RawAnswer> {
  const socket = await openSocket(url);
  const received = readAll(socket);
  for (const part of parts) socket.write(part);
  return parseAnswer(await received);
}

export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** Everything until the server closes; a reset after the answer is an end like any other. */
export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString('utf8');
}

export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const length = Number(headers.get('content-length') ?? 0);
  const body = Buffer.from(text.slice(end + 4), 'utf8')
    .subarray(0, length)
    .toString('utf8');
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    body: (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>,
  };
}
