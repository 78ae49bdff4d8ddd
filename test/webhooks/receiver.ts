// A receiver of webhooks on loopback, which answers as the test wants and keeps what came.
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { waitUntil } from '../support/processes.ts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: { event: string; timestamp: string; data: Record<string, unknown> };
  /** How many requests on this path were open at the same time, this one included. */
  atOnce: number;
}

export type Answer = (
  response: ServerResponse,
  nth: number,
  request: IncomingMessage,
) => void | Promise<void>;

export interface Receiver {
  url: string;
  port: number;
  received: Received[];
  /** Requests on one path, in order. */
  on(path: string): Received[];
  /** From now on; `nth` counts the requests on the path from 1. */
  answer(path: string, how: Answer): void;
  until(path: string, count: number): Promise<Received[]>;
  close(): Promise<void>;
}

const ok: Answer = (response) => void response.end('ok');

export async function startReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = [];
  const answers = new Map<string, Answer>();
  const open = new Map<string, number>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const atOnce = (open.get(path) ?? 0) + 1;
    open.set(path, atOnce);
    response.on('close', () => open.set(path, open.get(path)! - 1));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const body = JSON.parse(text) as Received['body'];
    received.push({ path, headers: request.headers, text, body, atOnce });
    const nth = received.filter((one) => one.path === path).length;
    await (answers.get(path) ?? ok)(response, nth, request);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const on = (path: string) => received.filter((one) => one.path === path);
  return {
    url: `http://${host}:${port}`,
    port,
    received,
    on,
    answer: (path, how) => void answers.set(path, how),
    until: (path, count) =>
      waitUntil(
        () => (on(path).length >= count ? on(path) : undefined),
        `${count} webhooks on ${path}`,
      ),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** By somebody else's code; throws unless the signature is right. */
export function verifyIndependently(secret: string, { text, headers }: Received): unknown {
  return new Webhook(secret).verify(text, headers as Record<string, string>);
}
