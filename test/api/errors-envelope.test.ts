import { describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { createTestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const answerOf = async (response: Response) => ({
  status: response.status,
  body: (await response.json()) as never,
});

describe('an error', () => {
  const server = useServer({ role: 'api' });

  it('has one shape, whoever notices it', async () => {
    verifies(
      'http.error.envelope',
      'http.error.unknown-route',
      'http.error.not-found',
      'http.error.malformed-json',
      'http.error.framework',
    );
    const { key } = await server().createKey();
    const call = server().call;
    expectError(await call('GET', '/api/v1/history'), 'UNAUTHORIZED');
    expectError(await call('GET', '/nowhere'), 'NOT_FOUND');
    expectError(await call('GET', '/api/v1/nowhere', { key }), 'NOT_FOUND');
    expectError(await call('GET', '/api/v1/job/none', { key }), 'NOT_FOUND');
    expectError(await call('PATCH', '/api/v1/execute', { key }), 'METHOD_NOT_ALLOWED');
    expectError(await call('POST', '/api/v1/execute', { key, body: [] }), 'VALIDATION_ERROR');
    expectError(await call('GET', '/api/v1/job/%zz', { key }), 'VALIDATION_ERROR');
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    for (const body of ['{', '{"a":1,}', 'nonsense', '{"a":1}{"b":2}', "{'a':1}"]) {
      const response = await fetch(`${server().url}/api/v1/execute`, {
        method: 'POST',
        headers,
        body,
      });
      expectError(await answerOf(response), 'VALIDATION_ERROR');
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  it('is a page for a person who mistypes an address, and JSON for whoever tries the API', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const open = (path: string, method = 'GET') =>
      fetch(server().url + path, { method, headers: { accept } });
    const lost = await open('/rnus?from=a-bookmark');
    expect(lost.status).toBe(404);
    expect(lost.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const page = await lost.text();
    expect(page).toContain('There is no such page');
    expect(page).not.toContain('a-bookmark');
    for (const link of ['href="/"', 'href="/docs"']) expect(page).toContain(link);
    expect(lost.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const path of ['/api/v1/nowhere', '/v1/nowhere', '/v1']) {
      expectError(await answerOf(await open(path)), 'NOT_FOUND');
    }
    expectError(await answerOf(await open('/rnus', 'POST')), 'NOT_FOUND');
  });

  it('that is a fault of the server says nothing about the inside', async () => {
    verifies('http.error.internal', 'http.error.no-leak');
    const { key } = await server().createKey();
    await server().db.query('alter table runs rename to runs_gone');
    try {
      const answer = await server().call('GET', '/api/v1/history', { key });
      const error = expectError(answer, 'INTERNAL_ERROR');
      expect(error).not.toHaveProperty('details');
      expect(JSON.stringify(answer.body)).not.toMatch(
        /runs|select|relation|42P01|\.ts|node_modules|\/src|stack|postgres|at [A-Za-z]+ \(/i,
      );
      // The operator finds the cause under the id that the caller was given.
      const requestId = answer.headers.get('x-request-id') ?? 'none';
      const line = server()
        .logs()
        .split('\n')
        .find((text) => text.includes(requestId) && text.includes('"request failed"'));
      expect(line).toContain('runs');
    } finally {
      await server().db.query('alter table runs_gone rename to runs');
    }
    expect((await server().call('GET', '/api/v1/history', { key })).status).toBe(200);
  });
});

describe('a server that lost its database', () => {
  it('answers 503 with Retry-After and recovers by itself', async () => {
    verifies('http.error.unavailable-retry-after', 'http.readyz', 'http.healthz');
    const database = await createTestDatabase();
    const proxy = await startTcpProxy(database.url);
    const direct = await startTestServer({ role: 'api' }, database.url);
    const server = await startTestServer({ role: 'api' }, proxy.url);
    try {
      const { key } = await direct.createKey();
      const paths = ['/api/v1/history', '/readyz'];
      for (const path of paths) expect((await server.call('GET', path, { key })).status).toBe(200);
      proxy.sever();
      for (const path of paths) {
        const refused = await waitUntil(async () => {
          const answer = await server.call('GET', path, { key });
          return answer.status === 200 ? undefined : answer;
        });
        const error = expectError(refused, 'SERVICE_UNAVAILABLE');
        expect(error.message).not.toMatch(/ECONN|127\.0\.0\.1|postgres/);
        expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      }
      expect((await server.call('GET', '/healthz')).status).toBe(200);
      proxy.restore();
      for (const path of paths) {
        await waitUntil(async () => (await server.call('GET', path, { key })).status === 200, path);
      }
    } finally {
      await server.close();
      await direct.close();
      await proxy.close();
      await database.drop();
    }
  });
});
