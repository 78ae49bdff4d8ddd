// A provider of OpenID Connect: authorization code with PKCE, state and nonce. Discovery takes place when
// a user first signs in, so that a server starts without its provider.
import type { Configuration } from 'openid-client';

export interface OidcFlow {
  redirectUri: string;
  state: string;
  nonce: string;
  codeVerifier: string;
}

export interface OidcClaims {
  issuer: string;
  subject: string;
  /** Undefined unless the provider says that it has verified it. */
  email: string | undefined;
  name: string | undefined;
}

/** The person said no at the provider; the answer does not fit; or the provider cannot be asked. */
export class OidcError extends Error {
  readonly kind: 'cancelled' | 'refused' | 'unavailable';

  constructor(kind: OidcError['kind'], cause: unknown) {
    // Only what names the problem: the rest of it may hold codes and tokens.
    const { message, code, error } = cause as { message?: string; code?: string; error?: string };
    super([message, code, error].filter((one) => one !== undefined).join(', '));
    this.name = 'OidcError';
    this.kind = kind;
  }
}

/** What the network or a fault of the provider looks like. */
const UNAVAILABLE = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);

function kindOf(error: unknown): OidcError['kind'] {
  const { code, error: name } = error as { code?: string; error?: string };
  if (error instanceof TypeError || UNAVAILABLE.has(code ?? '')) return 'unavailable';
  return name === 'access_denied' ? 'cancelled' : 'refused';
}

export interface OidcProvider {
  authorizationUrl(flow: OidcFlow): Promise<string>;
  /** `answer`: the address that the browser came back to. */
  finish(answer: URL, flow: OidcFlow): Promise<OidcClaims>;
}

const TIMEOUT_SECONDS = 10;
const SCOPE = 'openid email profile';

/** It is kept as text, and found by it. The standard allows 255 characters. */
function isSubject(sub: string): boolean {
  return sub.length <= 255 && sub.isWellFormed() && !/\p{Cc}/u.test(sub);
}

/** What a provider reports may be anything. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function createOidcProvider(settings: {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
}): OidcProvider {
  const { issuer, clientId, clientSecret } = settings;
  let found: Promise<Configuration> | undefined;

  async function discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const url = new URL(issuer);
    return client.discovery(
      url,
      clientId,
      clientSecret,
      clientSecret === undefined ? client.None() : undefined,
      {
        timeout: TIMEOUT_SECONDS,
        // Settings allow this for providers on the same machine only.
        ...(url.protocol === 'http:' ? { execute: [client.allowInsecureRequests] } : {}),
      },
    );
  }

  /** One that failed is not remembered: the next sign-in asks again. */
  async function configuration(): Promise<Configuration> {
    found ??= discover();
    const asked = found;
    try {
      return await asked;
    } catch (error) {
      if (found === asked) found = undefined;
      throw new OidcError('unavailable', error);
    }
  }

  return {
    async authorizationUrl({ redirectUri, state, nonce, codeVerifier }) {
      const config = await configuration();
      const client = await import('openid-client');
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    },

    async finish(answer, { state, nonce, codeVerifier }) {
      const config = await configuration();
      const client = await import('openid-client');
      try {
        const tokens = await client.authorizationCodeGrant(config, answer, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const idToken = tokens.claims()!;
        if (!isSubject(idToken.sub))
          throw new Error('the subject of the identity is not plain text');
        // Many providers put the address into the answer about the user only.
        const claims =
          idToken['email'] === undefined
            ? await client.fetchUserInfo(config, tokens.access_token, idToken.sub)
            : idToken;
        return {
          issuer: idToken.iss,
          subject: idToken.sub,
          email: claims['email_verified'] === true ? text(claims['email']) : undefined,
          name: text(claims['name']),
        };
      } catch (error) {
        throw new OidcError(kindOf(error), error);
      }
    },
  };
}
