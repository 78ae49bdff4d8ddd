import { expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import { ROUTE_ACCESS } from '../../src/http/route-access.ts';
import { expectError } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ role: 'api' });

/** Those that keys may call, as the server itself knows them. */
const ROUTES = Object.entries(ROUTE_ACCESS).flatMap(([route, access]) => {
  if (access === 'public' || access.credential === 'session' || access.scope === null) return [];
  const [method = '', path = ''] = route.split(' ');
  return [{ method, path: path.replaceAll(/:\w+/g, 'x'), needed: access.scope }];
});

/** Without a body that would do anything: whether a key may is asked first. */
async function call({ method, path }: { method: string; path: string }, key: string) {
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
  return server().call(method, path, { key, ...body });
}

it('a key opens the routes of its scopes and no others', async () => {
  verifies('auth.forbidden');
  for (const scope of SCOPES.filter((one) => one !== 'admin')) {
    const { key } = await server().createKey({ scopes: [scope] });
    const answers = await Promise.all(ROUTES.map((route) => call(route, key)));
    for (const [index, answer] of answers.entries()) {
      const route = ROUTES[index]!;
      const { needed } = route;
      if (needed === scope) expect(answer.status, route.path).not.toBe(403);
      else expect(expectError(answer, 'FORBIDDEN').message).toContain(`"${needed}"`);
    }
  }
});

it('a key with the scope admin opens everything to an administrator of the server', async () => {
  const { key, email } = await server().createKey({ scopes: ['admin'] });
  await server().db.query('update users set is_admin = true where email = $1', [email]);
  for (const route of ROUTES) {
    expect([200, 201, 202, 400, 404, 409], route.path).toContain((await call(route, key)).status);
  }
});

it('a key of an unknown scope cannot be made', async () => {
  await expect(server().createKey({ scopes: ['everything'] })).rejects.toThrow(/Unknown scope/);
});
