// The addresses of the model endpoint: exactly these, as the vendors' own clients write them.
import type { PublicProvider } from '../../domain/model/model-routing.ts';
import type { ModelRequest } from '../../gateway/caller.ts';

export const MODEL_ROOT = '/model';
/** Whatever is asked for there is answered in the vendor's own words. */
export const MODEL_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export interface ModelPath {
  provider: PublicProvider;
  protocol: ModelRequest['protocol'];
  operation: 'generate' | 'count' | 'models';
  /** Below the vendor's base address. */
  path: string;
  pathModel?: string;
  isStreamPath?: boolean;
}

interface Found extends Omit<ModelPath, 'provider' | 'path'> {
  method: 'GET' | 'POST';
  /** Below the vendor's base address, which ends with its version. */
  path: string;
}

const post = (
  path: string,
  protocol: ModelRequest['protocol'],
  operation: 'generate' | 'count',
): Found => ({
  method: 'POST',
  path,
  protocol,
  operation,
});
const models = (protocol: ModelRequest['protocol']): Found => ({
  method: 'GET',
  path: '/models',
  protocol,
  operation: 'models',
});

const PATHS: Readonly<Record<string, { provider: PublicProvider; paths: readonly Found[] }>> = {
  '/anthropic/v1': {
    provider: 'anthropic',
    paths: [
      post('/messages', 'anthropic', 'generate'),
      post('/messages/count_tokens', 'anthropic', 'count'),
      models('anthropic'),
    ],
  },
  '/openai/v1': {
    provider: 'openai',
    paths: [
      post('/chat/completions', 'chat', 'generate'),
      post('/responses', 'responses', 'generate'),
      models('chat'),
    ],
  },
  '/google/v1beta': { provider: 'google', paths: [models('google')] },
  '/openrouter/v1': {
    provider: 'openrouter',
    paths: [post('/chat/completions', 'chat', 'generate'), models('chat')],
  },
};

/** Ids of models of this vendor have no other characters: nothing has to be decoded, so nothing can be hidden. */
const GOOGLE =
  /^\/google\/v1beta(\/models\/([A-Za-z0-9][\w.-]{0,199}):(generateContent|streamGenerateContent|countTokens))$/;

/** Undefined where there is no such address; `methods`: what it takes, where it is another method. */
export function findModelPath(
  method: string,
  path: string,
): ModelPath | { methods: string } | undefined {
  const below = path.slice(MODEL_ROOT.length);
  const google = GOOGLE.exec(below);
  if (google !== null) {
    if (method !== 'POST') return { methods: 'POST' };
    const [, rest, pathModel, verb] = google;
    return {
      provider: 'google',
      protocol: 'google',
      operation: verb === 'countTokens' ? 'count' : 'generate',
      path: rest!,
      pathModel: pathModel!,
      isStreamPath: verb === 'streamGenerateContent',
    };
  }
  for (const [prefix, { provider, paths }] of Object.entries(PATHS)) {
    if (!below.startsWith(prefix)) continue;
    const at = paths.filter((each) => prefix + each.path === below);
    const found = at.find((each) => each.method === method);
    if (found !== undefined) {
      const { protocol, operation, path: rest } = found;
      return { provider, protocol, operation, path: rest };
    }
    if (at.length > 0) return { methods: at.map((each) => each.method).join(', ') };
  }
  return undefined;
}

/** Whose shape an error has, at an address that is none. */
export function vendorOf(path: string): PublicProvider | undefined {
  const name = /^\/model\/([a-z]+)(?:\/|$)/.exec(path)?.[1];
  return (['anthropic', 'openai', 'google', 'openrouter'] as const).find((each) => each === name);
}

const CREDENTIALS = new Set(['key', 'api_key', 'apikey', 'access_token', 'oauth_token', '$.xgafv']);

/** The query as it came, without what might be a credential. */
export function queryToVendor(query: string): string {
  const kept = query.split('&').filter((part) => {
    let name = part.split('=', 1)[0]!;
    try {
      name = decodeURIComponent(name);
    } catch {
      // It is no name that means anything, then.
    }
    return part !== '' && !CREDENTIALS.has(name.toLowerCase());
  });
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

/** Whether the query or a header asks for a part of the answer alone. */
export function hidesUsage(query: string, headers: Readonly<Record<string, unknown>>): boolean {
  const names = new URLSearchParams(query);
  return ['fields', '$fields'].some((name) => names.has(name)) || 'x-goog-fieldmask' in headers;
}

/** Google's streams are events only where the address says so. */
export const asksForEvents = (query: string): boolean =>
  new URLSearchParams(query).get('alt')?.toLowerCase() === 'sse';
