// A real provider of OpenID Connect on loopback. Whoever the test names is signed in there without a page.
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export interface Person {
  sub: string;
  email?: string;
  email_verified?: unknown;
  name?: string;
}

export interface TestProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Who signs in from now on; undefined: they cancel. */
  person: Person | undefined;
  /** Before that it has an address and is out of order: the redirect URI may need the address first. */
  open(redirectUri: string): void;
  close(): Promise<void>;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

export async function startProvider(): Promise<TestProvider> {
  let handle: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => handle(request, response));
  const issuer = `http://127.0.0.1:${await listen(server)}`;
  const test: TestProvider = {
    issuer,
    clientId: 'millrace',
    clientSecret: 'a secret of the client',
    person: undefined,
    open: (redirectUri) => (handle = handlerOf(test, redirectUri)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return test;
}

function handlerOf(test: TestProvider, redirectUri: string): RequestListener {
  const provider = new Provider(test.issuer, {
    clients: [
      {
        client_id: test.clientId,
        client_secret: test.clientSecret,
        redirect_uris: [redirectUri],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // It says so where it is left to itself.
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => {
      const { person } = test;
      return { accountId: sub, claims: async () => ({ ...person, sub }) };
    },
  });
  const answer = provider.callback();
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response);
    const { prompt, params, grantId } = await provider.interactionDetails(request, response);
    if (test.person === undefined) {
      const denied = { error: 'access_denied', error_description: 'cancelled' };
      return provider.interactionFinished(request, response, denied);
    }
    if (prompt.name === 'login') {
      const login = { accountId: test.person.sub };
      return provider.interactionFinished(request, response, { login });
    }
    const grant =
      grantId === undefined
        ? new provider.Grant({ accountId: test.person.sub, clientId: String(params['client_id']) })
        : await provider.Grant.find(grantId);
    grant!.addOIDCScope('openid email profile');
    const consent = { grantId: await grant!.save() };
    return provider.interactionFinished(request, response, { consent });
  }
  return (request, response) => void handle(request, response);
}

/** Follows redirects at the provider until they lead back; returns where to. */
export async function passProvider(url: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = url;
  for (let steps = 0; steps < 20 && at.startsWith(issuer); steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (next === null) throw new Error(`${response.status} ${await response.text()}`);
    at = new URL(next, at).href;
  }
  return at;
}
