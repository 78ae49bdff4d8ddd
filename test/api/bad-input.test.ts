import { describe, expect, it } from 'vitest';
import { ROUTE_ACCESS } from '../../src/http/route-access.ts';
import { expectError } from '../support/expect-error.ts';
import { openSocket, rawRequest, readAll } from '../support/raw-http.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ role: 'api' });

const BODY = { streamId: 'a', prompt: 'x', model: 'sim-instant', maxTokens: 10 };

async function post(body: string | Uint8Array<ArrayBuffer>) {
  const { key } = await server().createKey();
  const response = await fetch(`${server().url}/api/v1/execute`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const head = (method: string, target: string, ...lines: string[]) =>
  [`${method} ${target} HTTP/1.1`, 'host: x', 'connection: close', ...lines, '', ''].join('\r\n');

describe('a body', () => {
  it('that is no object is refused', async () => {
    verifies('http.error.validation');
    for (const body of ['null', '7', '"text"', '[]', 'true', '[{}]', '', ' ']) {
      expectError(await post(body), 'VALIDATION_ERROR');
    }
  });

  it('that is not UTF-8 is refused', async () => {
    const json = JSON.stringify({ ...BODY, prompt: '#' });
    const [before, after] = json.split('#') as [string, string];
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
      expect(expectError(await post(body), 'VALIDATION_ERROR').message).toContain('UTF-8');
    }
    const utf16 = Buffer.from(JSON.stringify(BODY), 'utf16le');
    expectError(await post(utf16), 'VALIDATION_ERROR');
  });

  it('with a field __proto__ is refused, however it is written and wherever it stands', async () => {
    const bodies = [
      `{"__proto__":{"admin":true},${JSON.stringify(BODY).slice(1)}`,
      `{"structuredPrompt":{"__proto__":1},${JSON.stringify(BODY).slice(1)}`,
      `{"x":[{"__proto__":null}],${JSON.stringify(BODY).slice(1)}`,
      String.raw`{"\u005f_proto_\u005F":1,${JSON.stringify(BODY).slice(1)}`,
    ];
    for (const body of bodies) {
      expect(expectError(await post(body), 'VALIDATION_ERROR').message).toContain('__proto__');
    }
    // As text it is as good as any other.
    expect((await post(JSON.stringify({ ...BODY, prompt: '__proto__' }))).status).toBe(202);
    const constructor = JSON.stringify({ ...BODY, constructor: { prototype: { a: 1 } } });
    expect((await post(constructor)).status).toBe(202);
  });

  it('that is nested without end does no harm', async () => {
    for (const depth of [1000, 100_000]) {
      const deep = '['.repeat(depth) + ']'.repeat(depth);
      const ignored = await post(`{"deep":${deep},${JSON.stringify(BODY).slice(1)}`);
      expect([202, 400]).toContain(ignored.status);
      expectError(await post(`{"prompt":${deep}}`), 'VALIDATION_ERROR');
      expectError(await post('{"a":'.repeat(depth)), 'VALIDATION_ERROR');
      const proto = '{"a":'.repeat(depth) + '{"__proto__":1}' + '}'.repeat(depth);
      expectError(await post(proto), 'VALIDATION_ERROR');
    }
    expect((await server().call('GET', '/healthz')).status).toBe(200);
  });

  it.each([
    [
      'POST',
      '/api/v1/runs/deep/events',
      '{"name":"x","events":[{"v":1,"seq":1,"type":"run.note","x":#}]}',
    ],
    ['PUT', '/api/v1/history/deep', '{"run":{"feature":"x","x":#},"streams":[]}'],
    [
      'POST',
      '/api/v1/execute',
      '{"streamId":"a","prompt":"x","structuredPrompt":{"system":"","x":#}}',
    ],
    ['POST', '/v1/executions', '{"task":"x","context":{"contents":#}}'],
    ['POST', '/v1/webhooks', '{"url":"https://hooks.invalid/","events":["*"],"x":#}'],
    [
      'POST',
      '/mcp',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":#}}',
    ],
  ])(
    'is refused when it is nested too deep, however short it is: %s %s',
    async (method, path, text) => {
      const { key } = await server().createKey();
      const headers = {
        'x-api-key': key,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const deep = '['.repeat(30_000) + ']'.repeat(30_000);
      const sent = { headers, body: text.replace('#', deep) };
      expect(sent.body.length).toBeLessThan(64 * 1024);
      const answer = await fetch(server().url + path, { method, ...sent });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('nested deeper than 1,000 levels');
    },
  );

  it('with the same field twice counts the last, as JSON readers do', async () => {
    const answer = await post(`{"maxTokens":0,${JSON.stringify(BODY).slice(1)}`);
    expect(answer.status).toBe(202);
  });
});

describe('an address', () => {
  it('that is wrongly encoded is refused', async () => {
    verifies('http.error.framework');
    const { key } = await server().createKey();
    for (const path of ['/api/v1/job/%', '/api/v1/job/%zz', '/api/v1/job/%c3', '/%ff%fe']) {
      expectError(await server().call('GET', path, { key }), 'VALIDATION_ERROR');
    }
  });

  it('of any length and content gets an answer', async () => {
    const { key } = await server().createKey();
    const long = 'a'.repeat(600);
    const history = await server().call('GET', `/api/v1/history/${long}`, { key });
    expectError(history, 'NOT_FOUND');
    expectError(await server().call('GET', `/${'b/'.repeat(3000)}`, { key }), 'NOT_FOUND');
    const odd = ['/api/v1/history/..%2f..%2fetc', '/api/v1/history/%F0%9F%8E%89'];
    for (const path of odd) expectError(await server().call('GET', path, { key }), 'NOT_FOUND');
  });
});

describe('a request by hand', () => {
  it('with headers above 16 KiB is refused', async () => {
    const answer = await rawRequest(
      server().url,
      head('GET', '/healthz', `x-long: ${'y'.repeat(20_000)}`),
    );
    expectError(answer, 'PAYLOAD_TOO_LARGE');
  });

  it('that is not HTTP is refused', async () => {
    verifies('http.error.framework', 'http.request-id');
    const texts = [
      'hello there\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      head('GET', '/healthz', 'bad header'),
      head('POST', '/api/v1/execute', 'content-length: 5', 'content-length: 6'),
      head('POST', '/api/v1/execute', 'content-length: -1'),
      head('POST', '/api/v1/execute', 'content-length: 5', 'transfer-encoding: chunked'),
      `${head('POST', '/api/v1/execute', 'transfer-encoding: chunked')}zzz\r\n`,
    ];
    for (const text of texts) {
      const answer = await rawRequest(server().url, text);
      expectError(answer, 'VALIDATION_ERROR');
      expect(answer.headers.get('content-type'), text).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('x-request-id'), text).toMatch(/^req_/);
    }
  });

  it('with two keys is refused rather than one of them chosen', async () => {
    const [one, two] = [await server().createKey(), await server().createKey()];
    const answer = await rawRequest(
      server().url,
      head('GET', '/api/v1/history', `x-api-key: ${one.key}`, `x-api-key: ${two.key}`),
    );
    expectError(answer, 'UNAUTHORIZED');
  });

  it('with a repeated header that must be one is refused', async () => {
    const { key } = await server().createKey();
    const body = JSON.stringify(BODY);
    const lines = [
      `x-api-key: ${key}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ];
    // Joined as "a, b": one key, and not the one that either header says.
    const twice = head(
      'POST',
      '/api/v1/execute',
      ...lines,
      'idempotency-key: a',
      'idempotency-key: b',
    );
    const first = await rawRequest(server().url, twice, body);
    expect(first.status).toBe(202);
    expect((await rawRequest(server().url, twice, body)).body).toEqual(first.body);
    const single = head('POST', '/api/v1/execute', ...lines, 'idempotency-key: a');
    expect((await rawRequest(server().url, single, body)).body).not.toEqual(first.body);
  });

  it('whose body is longer than announced is read up to there', async () => {
    const { key } = await server().createKey();
    const body = JSON.stringify(BODY);
    const lines = [`x-api-key: ${key}`, 'content-type: application/json'];
    const short = head('POST', '/api/v1/execute', ...lines, `content-length: ${body.length - 1}`);
    expectError(await rawRequest(server().url, short, body), 'VALIDATION_ERROR');
  });

  it('that breaks off in the middle leaves the server well', async () => {
    const { key } = await server().createKey();
    const socket = await openSocket(server().url);
    const lines = [`x-api-key: ${key}`, 'content-type: application/json', 'content-length: 500'];
    socket.write(`${head('POST', '/api/v1/execute', ...lines)}{"streamId":`);
    socket.end();
    const text = await readAll(socket);
    expect(text === '' || text.startsWith('HTTP/1.1 400')).toBe(true);
    expect((await server().call('GET', '/api/v1/history', { key })).status).toBe(200);
  });
});

it('a NUL character in an address is no fault of the server, on any route', async () => {
  const { key, email } = await server().createKey({ scopes: ['admin'] });
  await server().db.query('update users set is_admin = true where email = $1', [email]);
  const summary = { done: 0, failed: 0, total: 1, wave: 1, waves: 1, simulated: false };
  const report = { name: 'x', events: [], summary };
  await server().call('POST', '/api/v1/runs/mine/events', { key, body: report });
  const { body: described } = await server().call('GET', '/openapi.json');
  const queriesOf = (method: string, path: string): string[] => {
    type Operation = { parameters?: { in: string; name: string }[] };
    const paths = described['paths'] as Record<string, Record<string, Operation>>;
    const operation = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    const found = operation?.parameters?.filter((one) => one.in === 'query') ?? [];
    return found.map(({ name }) => `${path.replaceAll(/:\w+/g, 'x')}?${name}=a%00b`);
  };
  const faults: string[] = [];
  for (const route of Object.keys(ROUTE_ACCESS)) {
    const [method = '', path = ''] = route.split(' ');
    const addresses = new Set([
      path.replaceAll(/:\w+/g, 'a%00b'),
      path.replace(':id', 'mine').replaceAll(/:\w+/g, '%00'),
      ...queriesOf(method, path),
    ]);
    for (const address of addresses) {
      if (!address.includes('%00')) continue;
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
      const { status } = await server().call(method, address, { key, ...body });
      if (status >= 500) faults.push(`${method} ${address}: ${status}`);
    }
  }
  expect(faults).toEqual([]);
});
