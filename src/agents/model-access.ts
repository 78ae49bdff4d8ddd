// What an agent may call models with: a token of its stream that is renewed as long as the attempt lasts, and a door of
// the sandbox that puts it in. The token never enters the sandbox.
import { randomUUID } from 'node:crypto';
import { MillraceError } from '../client/index.ts';
import type { MillraceClient } from '../client/index.ts';
import type { PublicProvider } from '../domain/model/model-routing.ts';
import type { StreamTokenRequest, StreamTokenUsage } from '../contract/stream-token-api.ts';
import { freePort } from '../platform/free-port.ts';
import { endToken } from './end-token.ts';
import { pathDoor } from '../sandbox/network/path-door.ts';
import type { DoorAnswer, DoorRequest } from '../sandbox/network/path-door.ts';
import type { Door } from '../sandbox/network/doors.ts';

/** On the loopback inside, where that is the sandbox's own. */
const PORT = 4747;
const ROOT = '/model/';
const RENEW_EVERY_MS = 15_000;

/** Whatever else is sent counts as a call: names of paths can be written in more than one way. */
const IS_COUNT = /\/count_tokens$|:countTokens$/;

const isCall = ({ method, url }: DoorRequest) =>
  method === 'POST' && !IS_COUNT.test(url.split(/[?#]/, 1)[0]!);

export interface ModelAccess {
  id: string;
  door: Door;
  endpoint: ModelEndpoint;
  /** The same for programs that look for it in their environment. */
  environment: Readonly<Record<string, string>>;
  /** Calls that were let through. */
  turns(): number;
  /** The run has been taken over, or the token has ended: nothing more can be called. */
  lost: AbortSignal;
  /** The token is dead; what was used with it. */
  close(): Promise<StreamTokenUsage | undefined>;
}

export interface AccessOptions {
  client: MillraceClient;
  /** Of the server. */
  url: string;
  token: StreamTokenRequest;
  maxTurns: number;
  /** Others on this machine can reach the door: it asks for a key of its own. */
  sharesLoopback: boolean;
  onTurn(turn: { number: number; answer: DoorAnswer }): void;
  /** It asks for more than it may call. */
  onTooMany(): void;
}

/** Clients refuse to start without a key; this one opens nothing. */
const NO_KEY = 'set-by-millrace';

/** For programs inside. */
export interface ModelEndpoint {
  /** For each vendor, as clients of that vendor expect it. */
  addresses: Readonly<Record<PublicProvider, string>>;
  /** What stands for a key. */
  key: string;
}

function endpointAt(port: number, key: string): ModelEndpoint {
  const base = `http://127.0.0.1:${port}/model`;
  const addresses = {
    anthropic: `${base}/anthropic`,
    openai: `${base}/openai/v1`,
    google: `${base}/google`,
    openrouter: `${base}/openrouter/v1`,
  };
  return { addresses, key };
}

/** Where nothing may be called, programs are started all the same. */
export const NO_ENDPOINT = endpointAt(PORT, NO_KEY);

const environmentOf = ({ addresses, key }: ModelEndpoint): Record<string, string> => ({
  ANTHROPIC_BASE_URL: addresses.anthropic,
  ANTHROPIC_API_KEY: key,
  OPENAI_BASE_URL: addresses.openai,
  OPENAI_API_KEY: key,
  GOOGLE_GEMINI_BASE_URL: addresses.google,
  GEMINI_API_KEY: key,
});

export async function openModelAccess(options: AccessOptions): Promise<ModelAccess> {
  const { client, url, maxTurns, sharesLoopback, onTurn, onTooMany } = options;
  const port = sharesLoopback ? await freePort() : PORT;
  const key = sharesLoopback ? randomUUID() : NO_KEY;
  const endpoint = endpointAt(port, key);
  const { id, token } = await client.createStreamToken(options.token);
  const lost = new AbortController();
  let turns = 0;
  const numbers = new WeakMap<DoorRequest, number>();
  const timer = setInterval(() => {
    client.renewStreamToken(id).catch((error: unknown) => {
      // A server that is away for a moment comes back; one that says no does not change its mind.
      const isFinal = error instanceof MillraceError && error.status >= 400 && error.status < 500;
      if (isFinal && error.status !== 429) lost.abort(error);
    });
  }, RENEW_EVERY_MS);
  const door = pathDoor({
    port,
    ...(sharesLoopback && { key }),
    server: new URL(url),
    path: ROOT,
    headers: {
      'x-api-key': token,
      authorization: `Bearer ${token}`,
      'x-goog-api-key': token,
    },
    refuse(request) {
      if (!isCall(request)) return undefined;
      if (turns >= maxTurns) {
        onTooMany();
        return `This attempt may make ${maxTurns} model calls, and has made them.`;
      }
      turns += 1;
      numbers.set(request, turns);
      return undefined;
    },
    onAnswer(request, answer) {
      const number = numbers.get(request);
      if (number !== undefined) onTurn({ number, answer });
    },
  });

  return {
    id,
    door,
    endpoint,
    environment: environmentOf(endpoint),
    turns: () => turns,
    lost: lost.signal,
    async close() {
      clearInterval(timer);
      return endToken(client, id);
    },
  };
}
