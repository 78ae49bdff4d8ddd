// A sign-in with a provider that is under way: a short-lived cookie of the browser that started it, and
// nothing on the server. State, nonce and code verifier follow from its secret, so the answer of the provider
// fits the browser that asked and no other.
import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';

const Flow = z.object({
  secret: z.string().regex(/^[\w-]{43}$/),
  /** Where to go afterwards. */
  returnTo: z.string().max(500),
  /** The session whose account will be connected. */
  sessionId: z.string().max(60).optional(),
  /** The token of the invitation that the person came with. */
  invitation: z.string().max(100).optional(),
});
export type Flow = z.infer<typeof Flow>;

export function newFlow(rest: Omit<Flow, 'secret'>): Flow {
  return { secret: randomBytes(32).toString('base64url'), ...rest };
}

export function packFlow(flow: Flow): string {
  return Buffer.from(JSON.stringify(flow)).toString('base64url');
}

/** Undefined for what is none: a browser can send anything. */
export function unpackFlow(text: string | undefined): Flow | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed = Flow.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

export function secretsOf({ secret }: Flow) {
  const derived = (what: string) => createHmac('sha256', secret).update(what).digest('base64url');
  return { state: derived('state'), nonce: derived('nonce'), codeVerifier: derived('verifier') };
}
