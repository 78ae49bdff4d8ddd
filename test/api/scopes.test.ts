import { expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import { ROUTE_ACCESS } from '../../src/http/route-access.ts';
import { expectError } from '../support/expect-error.ts';
import { openEvents } from '../support/sse.ts';
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

it('a stream of many topics shows what the scopes of the key open, and no more', async () => {
  verifies('accounts.api-keys.scopes-everywhere');
  const { key, email } = await server().createKey({});
  const jobId = await server().submit(key, { runId: 'scoped' });
  const made = await server().call('POST', '/v1/executions', {
    key,
    body: { task: 'x', model: 'sim-instant' },
  });
  const topics = [`job:${jobId}`, `execution:${made.body['id'] as string}`, 'run:scoped'];
  for (const [scopes, opened] of [
    [['history'], ['run:scoped']],
    [
      ['history', 'jobs'],
      ['run:scoped', topics[0]],
    ],
    [
      ['history', 'executions'],
      ['run:scoped', topics[1]],
    ],
  ] as const) {
    const limited = await server().createKey({ email, scopes: [...scopes] });
    const url = `${server().url}/api/v1/events?topics=${topics.join(',')}`;
    const reader = await openEvents(url, { 'x-api-key': limited.key });
    const first = new Map<string, { event: string; code: unknown }>();
    await reader.until(({ event, data }) => {
      const { code } = data['data'] as { code?: string };
      const topic = data['topic'] as string;
      if (!first.has(topic)) first.set(topic, { event, code });
      return first.size === topics.length;
    });
    reader.close();
    for (const [topic, { event, code }] of first) {
      const isOpen = (opened as readonly unknown[]).includes(topic);
      if (isOpen) expect(event, topic).not.toBe('refused');
      else expect({ event, code }, topic).toEqual({ event: 'refused', code: 'FORBIDDEN' });
    }
  }
});

it('the news of a team name only what the key may read', async () => {
  verifies('accounts.api-keys.scopes-everywhere');
  const { key, email } = await server().createKey({});
  const limited = await server().createKey({ email, scopes: ['history'] });
  const url = `${server().url}/api/v1/events?topics=team`;
  const readers = await Promise.all(
    [key, limited.key].map((each) => openEvents(url, { 'x-api-key': each })),
  );
  const reads = readers.map(async (reader) => {
    const seen = await reader.until(({ event }) => event === 'changed');
    reader.close();
    return Object.keys(seen.at(-1)!.data['data'] as object).sort();
  });
  let isOver = false;
  const both = Promise.all(reads).finally(() => (isOver = true));
  // Again and again: what happens before a reader is there is not collected for it.
  while (!isOver) {
    const jobId = await server().submit(key, { runId: 'news' });
    await server().call('POST', `/api/v1/job/${jobId}/cancel`, { key });
  }
  const changed = await both;
  expect(changed).toEqual([['jobs', 'runs'], ['runs']]);
});
