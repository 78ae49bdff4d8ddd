// Asks a vendor whether a key is good: one small request that spends no tokens.
import type { KeyCheck } from '../../domain/access/key-check.ts';
import type { PublicProvider } from '../../domain/model/model-routing.ts';
import type { VendorEndpoint } from './endpoint.ts';
import { keyHeaders } from './key-headers.ts';
import { readSome } from './read-some.ts';

const PATHS: Record<PublicProvider, string> = {
  anthropic: '/models?limit=1',
  openai: '/models',
  google: '/models?pageSize=1',
  // The list of models is public there and would accept any key.
  openrouter: '/key',
};

const RESTRICTED = /missing scopes|insufficient permissions|does not have permission/i;
const NOT_VALID = /API_KEY_INVALID|API key not valid|API Key not found/i;
const MAX_BODY = 64 * 1024;

export async function checkKey(
  endpoint: VendorEndpoint,
  key: string,
  timeoutMs = 10_000,
): Promise<KeyCheck> {
  const { provider, baseUrl, http } = endpoint;
  const headers = keyHeaders(provider, key);
  let status: number;
  let body: string;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await http.send(baseUrl + PATHS[provider], { headers, signal });
    status = answer.status;
    body = await readSome(answer.body, MAX_BODY);
  } catch (error) {
    const late = error instanceof Error && error.name === 'TimeoutError';
    return {
      kind: 'unknown',
      why: late ? `no answer within ${timeoutMs / 1000} s` : 'unreachable',
    };
  }
  // Too many requests come from a caller that is known.
  if ((status >= 200 && status < 300) || status === 429) return { kind: 'valid' };
  // A key that may not list models may still call them.
  if ((status === 401 || status === 403) && RESTRICTED.test(body)) return { kind: 'valid' };
  if (status === 401 || status === 403 || NOT_VALID.test(body)) return { kind: 'rejected' };
  return { kind: 'unknown', why: `status ${status}` };
}
