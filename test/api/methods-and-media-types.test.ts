import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ role: 'api' });

const BODY = { streamId: 'a', prompt: 'x', model: 'sim-instant', maxTokens: 10 };

async function post(
  path: string,
  headers: Record<string, string>,
  body: string | Uint8Array<ArrayBuffer>,
) {
  const { key } = await server().createKey();
  const response = await fetch(server().url + path, {
    method: 'POST',
    headers: { 'x-api-key': key, ...headers },
    body,
  });
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body: answer, headers: response.headers };
}

it('a known path with another method is 405 and names the methods that work', async () => {
  verifies('http.error.method');
  const { key } = await server().createKey();
  const expected: [string, string, string][] = [
    ['/api/v1/execute', 'GET', 'POST'],
    ['/api/v1/execute', 'DELETE', 'POST'],
    ['/api/v1/job/abc', 'POST', 'GET, HEAD'],
    ['/api/v1/job/abc/cancel', 'GET', 'POST'],
    ['/api/v1/job/abc/events', 'PUT', 'GET, HEAD'],
    ['/api/v1/history', 'POST', 'GET, HEAD'],
    ['/api/v1/history/abc?x=1', 'PATCH', 'GET, HEAD, PUT'],
    ['/healthz', 'POST', 'GET, HEAD'],
  ];
  for (const [path, method, allow] of expected) {
    const answer = await server().call(method, path, { key });
    expectError(answer, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow'), path).toBe(allow);
  }
});

it('an unknown path is 404 with any method', async () => {
  verifies('http.error.unknown-route', 'versioning.path-only', 'versioning.prefix.jobs');
  const { key } = await server().createKey();
  const paths = ['/nothing', '/api', '/api/v1', '/api/v2/execute', '/v1/execute', '/api/execute'];
  for (const path of [...paths, '/api/v1/execute/', '/api/v1/job', '/API/v1/execute']) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      expectError(await server().call(method, path, { key }), 'NOT_FOUND');
    }
  }
  // Nothing but the path chooses a version.
  const headers = { accept: 'application/vnd.millrace.v2+json', 'api-version': '2' };
  const answer = await server().call('GET', '/api/v1/history?version=2', { key, headers });
  expect(answer.status).toBe(200);
});

it('a body that is not JSON is 415', async () => {
  verifies('http.error.media-type', 'http.json');
  const json = JSON.stringify(BODY);
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'x/y'];
  for (const type of [...types, 'application/xml', 'text/json', 'application/jsonp', 'garbage']) {
    const answer = await post('/api/v1/execute', { 'content-type': type }, json);
    expect(expectError(answer, 'UNSUPPORTED_MEDIA_TYPE').message).toContain('application/json');
  }
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON']) {
    const answer = await post('/api/v1/execute', { 'content-type': type }, json);
    expect(answer.status, type).toBe(202);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  }
});

it('a compressed body is 415', async () => {
  verifies('http.error.media-type');
  const zipped = gzipSync(JSON.stringify(BODY));
  for (const encoding of ['gzip', 'br', 'deflate', 'gzip, gzip', 'zstd']) {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    expectError(await post('/api/v1/execute', headers, zipped), 'UNSUPPORTED_MEDIA_TYPE');
  }
});
