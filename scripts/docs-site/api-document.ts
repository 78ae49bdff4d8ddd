// The OpenAPI document of this source, without a server: the routes are registered and never called.
import { createServer, type ServerDeps } from '../../src/http/server.ts';

/** What no route may need before it is called. Parts of it are read at registration, but nothing is called. */
function unavailable(name: string): unknown {
  return new Proxy(() => undefined, {
    get: (_, key) => unavailable(`${name}.${String(key)}`),
    apply: () => {
      throw new Error(`${name} was called while routes were registered; only a server has it.`);
    },
  });
}

export async function apiDocument(version: string): Promise<object> {
  const known: Partial<ServerDeps> = {
    version,
    publicOrigin: undefined,
    trustedProxies: [],
    corsOrigins: [],
    localLaunch: undefined,
    signInOptions: { ssoName: undefined, canMail: false, linkCommand: '' },
  };
  const deps = new Proxy(known, {
    get: (values, key) =>
      key in values ? Reflect.get(values, key) : unavailable(`deps.${String(key)}`),
  });
  const app = await createServer(deps as ServerDeps);
  const document = app.swagger();
  await app.close();
  return document;
}
