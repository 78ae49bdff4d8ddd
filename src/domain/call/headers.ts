// Which headers pass between a client and a vendor. Headers are lists of name, value, name, value, in the order and the
// spelling in which they came.
import type { PublicProvider } from '../model/model-routing.ts';

/** About one connection, not about the message. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Where clients put a credential, whichever vendor they speak to. */
const CREDENTIALS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];

const KEPT_HERE = new Set([
  ...HOP_BY_HOP,
  ...CREDENTIALS,
  'host',
  'content-length',
  'expect',
  'cookie',
  'cookie2',
  'forwarded',
  'x-real-ip',
  'x-team-id',
  'x-provider-key',
  // They would make another request of it than the one that was looked at.
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
]);

const KEPT_FROM_CLIENTS = new Set([
  ...HOP_BY_HOP,
  'set-cookie',
  'set-cookie2',
  'alt-svc',
  'strict-transport-security',
]);

/** Where each vendor takes its key. */
export const KEY_HEADERS: Readonly<
  Record<PublicProvider, { name: string; value(key: string): string }>
> = {
  anthropic: { name: 'x-api-key', value: (key) => key },
  openai: { name: 'authorization', value: (key) => `Bearer ${key}` },
  google: { name: 'x-goog-api-key', value: (key) => key },
  openrouter: { name: 'authorization', value: (key) => `Bearer ${key}` },
};

type Pair = [name: string, value: string];

function pairsOf(headers: readonly string[]): Pair[] {
  const pairs: Pair[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) pairs.push([headers[at]!, headers[at + 1]!]);
  return pairs;
}

/** Headers that this message says are about its connection. */
function namedByConnection(pairs: readonly Pair[]): Set<string> {
  const named = pairs.filter(([name]) => name.toLowerCase() === 'connection');
  return new Set(
    named.flatMap(([, value]) => value.split(',')).map((name) => name.trim().toLowerCase()),
  );
}

/** What goes to the vendor: the vendor's key stands where the caller's credential stood. */
export function headersToVendor(
  headers: readonly string[],
  provider: PublicProvider,
  key: string | undefined,
): string[] {
  const pairs = pairsOf(headers);
  const dropped = namedByConnection(pairs);
  const sent: string[] = [];
  let isKeyed = key === undefined;
  const putKey = () => {
    const { name, value } = KEY_HEADERS[provider];
    if (!isKeyed) sent.push(name, value(key!));
    isKeyed = true;
  };
  for (const [name, value] of pairs) {
    const lower = name.toLowerCase();
    if (CREDENTIALS.includes(lower)) putKey();
    else if (!KEPT_HERE.has(lower) && !dropped.has(lower) && !lower.startsWith('x-forwarded-')) {
      sent.push(name, value);
    }
  }
  putKey();
  return sent;
}

/** `isChanged`: the body is not, byte for byte, the one whose length and coding the vendor named. */
export function headersToClient(
  headers: readonly string[],
  { isChanged, mask }: { isChanged: boolean; mask(value: string): string },
): string[] {
  const pairs = pairsOf(headers);
  const dropped = namedByConnection(pairs);
  return pairs.flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    const isKept =
      KEPT_FROM_CLIENTS.has(lower) || dropped.has(lower) || lower.startsWith('access-control-');
    const isOfBody = lower === 'content-length' || lower === 'content-encoding';
    return isKept || (isChanged && isOfBody) ? [] : [name, mask(value)];
  });
}

export function headerIn(headers: readonly string[], wanted: string): string | undefined {
  const found = pairsOf(headers).filter(([name]) => name.toLowerCase() === wanted);
  return found.length === 0 ? undefined : found.map(([, value]) => value).join(', ');
}
