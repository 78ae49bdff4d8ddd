// A receiver of webhooks on this machine that shows what it gets.
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MillraceError, WebhookVerificationError, verifyWebhook } from '../../../client/index.ts';
import type { MillraceClient } from '../../../client/index.ts';
import { CommandError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { complain, note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { numberOf } from '../../flag-values.ts';
import { clientOf } from '../../remote.ts';
import { SIGNAL_EXITS, untilStopped } from '../../stop-signal.ts';
import { eventsOf } from './event-names.ts';
import { plainCommand } from '../../../domain/command/suggested-command.ts';

/** What the service sends is far smaller. */
const MAX_BODY_BYTES = 1024 * 1024;
const FORWARD_MS = 10_000;
const PASSED_ON = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

interface Payload {
  event: string;
  timestamp: string;
  data: Record<string, unknown>;
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function show(json: boolean, id: string, payload: Payload): void {
  if (json) return print(JSON.stringify({ id, ...payload }));
  const { executionId, status, sequence } = payload.data;
  const words = [executionId, status].filter((word) => typeof word === 'string');
  const number = typeof sequence === 'number' ? [`#${sequence}`] : [];
  print(plain([payload.timestamp, payload.event, ...words, ...number].join('  ')));
}

/** The status to answer with: the receiver behind decides, so that retries can be tried out. */
async function forward(url: string, body: string, request: IncomingMessage): Promise<number> {
  const headers = Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  try {
    const signal = AbortSignal.timeout(FORWARD_MS);
    const init = { method: 'POST', headers, body, signal, redirect: 'manual' as const };
    const response = await fetch(url, init);
    await response.body?.cancel();
    return response.status;
  } catch {
    complain(`${url} did not answer.`);
    return 502;
  }
}

async function receive(
  request: IncomingMessage,
  options: CommandOptions,
  secret: string,
): Promise<number> {
  if (request.method !== 'POST') return 405;
  const body = await readBody(request);
  if (body === undefined) return 413;
  try {
    const payload = await verifyWebhook<Payload>({ body, headers: request.headers, secret });
    show(options['json'] === true, String(request.headers['webhook-id']), payload);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    complain(`Refused: ${error.message}`);
    return 401;
  }
  const target = options['forward'];
  return typeof target === 'string' ? forward(target, body, request) : 200;
}

async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function register(client: MillraceClient, url: string, options: CommandOptions) {
  try {
    const description = plainCommand('webhooks', 'listen');
    return await client.webhooks.create({ url, events: eventsOf(options), description });
  } catch (error) {
    const details = error instanceof MillraceError ? error.details : undefined;
    const first = Array.isArray(details)
      ? (details[0] as { code?: string } | undefined)
      : undefined;
    if (first?.code !== 'TARGET_NOT_ALLOWED') throw error;
    throw new CommandError({
      code: 'TARGET_NOT_ALLOWED',
      message: `The server does not send webhooks to ${url}, a private address.`,
      hint: 'Start it with MILLRACE_ALLOW_PRIVATE_TARGETS=true, or register a public address that leads here and use --secret.',
      exit: EXIT.failed,
    });
  }
}

export async function listenForWebhooks(options: CommandOptions): Promise<number> {
  const given = typeof options['secret'] === 'string' ? options['secret'] : undefined;
  const client = given === undefined ? await clientOf(options) : undefined;
  const stopped = untilStopped();
  let secret = given ?? '';
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const status = await receive(request, options, secret);
    response.writeHead(status).end();
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const url = await listen(server, numberOf(options, 'port', '--port') ?? 0);
  try {
    const webhook = await (client && register(client, url, options));
    secret = webhook?.secret ?? secret;
    try {
      note(`Listening on ${url}${webhook ? ` for ${webhook.id}` : ''}; press ctrl-c to stop.`);
      const why = await stopped;
      return why === 'closed' ? EXIT.ok : SIGNAL_EXITS[why];
    } finally {
      if (webhook) await client?.webhooks.remove(webhook.id);
    }
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
