// POSTs to URLs of users. The address is checked three times: as written in the URL (no look-up
// happens for it), in every answer of the name servers, and on the socket itself once connected, so
// that a name which changes between check and use gains nothing. Redirects are not followed,
// answers are not unpacked and not read without end, and no error says where a name leads.
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, buildConnector, request } from 'undici';
import { failureText } from './request-failure.ts';
import { isPublicAddress, literalAddress } from './target-guard.ts';
import type { ResolveTarget } from './target-resolver.ts';

export interface GuardedRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

export type GuardedAnswer =
  | { kind: 'answered'; status: number; retryAfter: string | undefined; body: string }
  /** With a text that may be shown to the owner of the URL. */
  | { kind: 'failed'; error: string }
  /** The caller's own signal. */
  | { kind: 'aborted' };

export interface GuardedClient {
  post(request: GuardedRequest): Promise<GuardedAnswer>;
  close(): Promise<void>;
}

export interface GuardedClientOptions {
  allowPrivate: boolean;
  resolve: ResolveTarget;
  timeoutMs: number;
  connectTimeoutMs: number;
}

/** How much of an answer is read; a longer one is cut off. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** How much of it is handed on. */
const KEPT_BYTES = 2 * 1024;

export class BlockedTargetError extends Error {
  readonly code = 'BLOCKED_TARGET';

  constructor() {
    super('The address is not public.');
    this.name = 'BlockedTargetError';
  }
}

function guardedLookup(
  resolve: ResolveTarget,
  mayConnect: (address: string) => boolean,
): LookupFunction {
  const lookupAll = callbackify(async (hostname: string): Promise<LookupAddress[]> => {
    const addresses = await resolve(hostname);
    // One bad answer spoils them all: which one is used is not ours to choose.
    if (addresses.length === 0 || !addresses.every(mayConnect)) throw new BlockedTargetError();
    return addresses.map((address) => ({ address, family: isIP(address) }));
  });
  return (hostname, options, callback) =>
    lookupAll(hostname, (error, all) => {
      if (error) callback(error, '', 4);
      else if (options.all) callback(null, all);
      else callback(null, all[0]!.address, all[0]!.family);
    });
}

function guardedConnector(options: GuardedClientOptions): buildConnector.connector {
  const mayConnect = (address: string) => options.allowPrivate || isPublicAddress(address);
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    allowH2: false,
    lookup: guardedLookup(options.resolve, mayConnect),
  });
  return (target, callback) => {
    const literal = literalAddress(target.hostname);
    if (literal !== undefined && !mayConnect(literal)) {
      return callback(new BlockedTargetError(), null);
    }
    return connect(target, (...result) => {
      const [error, socket] = result;
      if (error !== null || mayConnect(socket.remoteAddress ?? '')) return callback(...result);
      socket.destroy();
      return callback(new BlockedTargetError(), null);
    });
  };
}

interface AnswerBody extends AsyncIterable<Buffer> {
  destroy(): unknown;
  on(event: 'error', listener: () => void): unknown;
}

/** The beginning of the answer; reads on to its end, within bounds, so that the connection lives. */
async function readBody(body: AnswerBody): Promise<Buffer> {
  const kept: Buffer[] = [];
  let read = 0;
  for await (const chunk of body) {
    if (read < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - read));
    read += chunk.length;
    // Leaving the loop destroys the rest with its connection.
    if (read >= MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(kept);
}

/** As text that a text column takes: whole characters, no NUL. */
function asText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\ufffd');
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

export function createGuardedClient(options: GuardedClientOptions): GuardedClient {
  const agent = new Agent({
    connect: guardedConnector(options),
    // The whole exchange has one limit, kept by a signal.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Below the five seconds after which many servers close an idle connection.
    keepAliveTimeout: 3_000,
    pipelining: 1,
  });

  async function exchange(call: GuardedRequest, signal: AbortSignal): Promise<GuardedAnswer> {
    const answer = await request(call.url, {
      method: 'POST',
      dispatcher: agent,
      headers: { ...call.headers, 'accept-encoding': 'identity' },
      body: call.body,
      signal,
    });
    const bytes = await readBody(answer.body);
    const packed = headerText(answer.headers['content-encoding']) ?? 'identity';
    return {
      kind: 'answered',
      status: answer.statusCode,
      retryAfter: headerText(answer.headers['retry-after']),
      body: packed === 'identity' ? asText(bytes) : '',
    };
  }

  return {
    async post(call) {
      const timeout = AbortSignal.timeout(options.timeoutMs);
      try {
        return await exchange(call, AbortSignal.any([call.signal, timeout]));
      } catch (error) {
        if (call.signal.aborted) return { kind: 'aborted' };
        if (timeout.aborted) {
          const error = `There was no complete answer within ${options.timeoutMs / 1000} seconds`;
          return { kind: 'failed', error };
        }
        return { kind: 'failed', error: failureText(error) };
      }
    },
    close: () => agent.destroy(),
  };
}
