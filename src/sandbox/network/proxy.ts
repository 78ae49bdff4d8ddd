// The way of a sandboxed process to hosts that its policy allows: an HTTP proxy on a Unix socket. A name is
// looked up once, every answer is judged, and the connection goes to the address that was judged, so that a
// name whose address changes meanwhile gains nothing.
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { isPublicAddress, literalAddress } from '../../platform/target-guard.ts';
import type { ResolveTarget } from '../../platform/target-resolver.ts';
import { listenOn } from './doors.ts';
import type { DoorPlace, OpenDoor } from './doors.ts';
import { isAllowedHost } from './policy.ts';
import type { RefusedHost } from './policy.ts';

/** What of the world the operator of this machine opens to policies. */
export interface Reach {
  resolve: ResolveTarget;
  /** Whether an allowed name may lead to an address that is not public. */
  allowPrivate: boolean;
  ports: readonly number[];
}

export interface ProxyOptions {
  hosts: readonly string[];
  reach: Reach;
  onRefused(host: RefusedHost): void;
}

export const PROXY_PORT = 3128;
const CONNECT_MS = 30_000;

/** For clients inside; Node reads them when the last one is set. */
export function proxyEnvironment(port: number): Record<string, string> {
  const url = `http://127.0.0.1:${port}`;
  const direct = 'localhost,127.0.0.1,::1';
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
  };
}

type Way = { kind: 'open'; address: string; port: number } | { kind: 'closed'; text: string };

interface Target {
  host: string;
  port: number;
}

async function wayTo({ host, port }: Target, options: ProxyOptions): Promise<Way> {
  const refuse = (reason: RefusedHost['reason'], text: string): Way => {
    options.onRefused({ host, reason });
    return { kind: 'closed', text };
  };
  const policy = 'by the network policy of this sandbox';
  if (literalAddress(host) !== undefined || isIP(host) !== 0) {
    return refuse('address', `${host} is not allowed ${policy}: hosts are allowed by name.`);
  }
  if (!isAllowedHost(options.hosts, host)) {
    return refuse('not allowed', `${host} is not allowed ${policy}.`);
  }
  if (!options.reach.ports.includes(port)) {
    return refuse(
      'port',
      `Port ${port} of ${host} is not allowed ${policy}: ${options.reach.ports.join(' and ')} are.`,
    );
  }
  let addresses: string[];
  try {
    addresses = await options.reach.resolve(host);
  } catch {
    return { kind: 'closed', text: `${host} was not found.` };
  }
  const [address] = addresses;
  if (address === undefined) return { kind: 'closed', text: `${host} was not found.` };
  if (!options.reach.allowPrivate && !addresses.every(isPublicAddress)) {
    return refuse('not public', `${host} does not lead to a public address.`);
  }
  return { kind: 'open', address, port };
}

/** Only forms with one meaning: anything else could be read as another host by the next reader. */
function targetOf(authority: string): Target | undefined {
  const [, host = '', port = ''] = /^([\w.-]{1,253}):(\d{1,5})$/.exec(authority) ?? [];
  return host === '' ? undefined : { host, port: Number(port) };
}

function plainTargetOf(url: string | undefined): (Target & { path: string }) | undefined {
  const parsed = URL.parse(url ?? '');
  if (parsed?.protocol !== 'http:') return undefined;
  const { hostname, port, pathname, search } = parsed;
  return { host: hostname, port: Number(port === '' ? 80 : port), path: pathname + search };
}

const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function endToEnd(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const named = (headers.connection ?? '').toLowerCase().split(/,\s*/);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.includes(name)),
  );
}

function answer(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  response.end(`${message}\n`);
}

async function forwardPlain(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: ProxyOptions,
): Promise<void> {
  const target = plainTargetOf(incoming.url);
  if (target === undefined)
    return answer(response, 400, 'Only http URLs can be proxied like this.');
  const way = await wayTo(target, options);
  if (way.kind === 'closed') return answer(response, 403, way.text);
  const { address, port } = way;
  const host = port === 80 ? target.host : `${target.host}:${port}`;
  const outgoing = httpRequest({
    host: address,
    port,
    method: incoming.method,
    path: target.path,
    headers: { ...endToEnd(incoming.headers), host },
    timeout: CONNECT_MS,
    agent: false,
  });
  outgoing.on('response', (answered) => {
    response.writeHead(answered.statusCode ?? 502, endToEnd(answered.headers));
    answered.on('error', () => response.destroy()).pipe(response);
  });
  outgoing.on('error', () => {
    if (response.headersSent) response.destroy();
    else answer(response, 502, `${target.host} could not be reached.`);
  });
  response.on('close', () => outgoing.destroy());
  incoming.on('error', () => outgoing.destroy()).pipe(outgoing);
}

const REFUSED_LINE =
  'HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n';
const FAILED_LINE = 'HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n';

async function tunnel(
  authority: string,
  inside: Duplex,
  head: Buffer,
  options: ProxyOptions,
): Promise<void> {
  const target = targetOf(authority);
  const way: Way =
    target === undefined
      ? { kind: 'closed', text: 'Only names with a port can be reached.' }
      : await wayTo(target, options);
  if (inside.destroyed) return;
  if (way.kind === 'closed') return void inside.end(`${REFUSED_LINE}${way.text}\n`);
  const outside = connect({ host: way.address, port: way.port, allowHalfOpen: true });
  outside.setTimeout(CONNECT_MS, () => outside.destroy(new Error('It took too long.')));
  let isOpen = false;
  outside.once('connect', () => {
    isOpen = true;
    outside.setTimeout(0);
    inside.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) outside.write(head);
    inside.pipe(outside);
    outside.pipe(inside);
  });
  outside.on('error', () => (isOpen ? inside.destroy() : inside.end(FAILED_LINE)));
  outside.on('close', () => inside.destroy());
  inside.on('close', () => outside.destroy());
}

export async function openProxy(place: DoorPlace, options: ProxyOptions): Promise<OpenDoor> {
  const server = createServer((incoming, response) => {
    void forwardPlain(incoming, response, options).catch(() => response.destroy());
  });
  server.on('connect', (incoming, connection, head) => {
    connection.on('error', () => connection.destroy());
    void tunnel(incoming.url ?? '', connection, head, options).catch(() => connection.destroy());
  });
  return listenOn(server, place);
}
