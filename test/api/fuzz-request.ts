// Requests from well-formed to hostile, made from the table of routes.
import fc from 'fast-check';
import { accountBody } from './fuzz-account-body.ts';
import type { RawRequest } from './fuzz-socket.ts';
import type { Route } from './route-table.ts';
import { ROUTES } from './route-table.ts';

export interface Known {
  key: string;
  badKeys: readonly string[];
  jobIds: readonly string[];
  runIds: readonly string[];
  teamIds: readonly string[];
}

type Header = readonly [string, string];

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];
const ODD_METHODS = ['', 'get', 'FOO', 'CONNECT', 'G\0T', 'QUERY', 'POST /', 'A'.repeat(300)];

const latin1 = fc.uint8Array({ maxLength: 40 }).map((bytes) =>
  Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(/[\r\n]/g, ' '),
);
const unicode = fc.string({ unit: 'binary', maxLength: 30 });
const digits = fc.constantFrom('0', '1', '-1', '1e999', '9'.repeat(40), '0x10', '1.5', 'NaN', '');
const times = fc.constantFrom(
  '2026-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '2026-02-30T00:00:00Z',
  '2026-12-31T23:59:60Z',
  'now',
  'infinity',
);
const oddText = fc.oneof(
  unicode,
  fc.constantFrom('\0', 'a\0b', '\ud800', '../../etc', "'; drop table jobs; --", '%', '\\'),
  fc.constantFrom('x'.repeat(129), 'é'.repeat(300), '💥', '__proto__', 'constructor', ' '),
);

const QUERY_NAMES = [
  'wait',
  'view',
  'offset',
  'limit',
  'status',
  'feature',
  'since',
  'until',
  'organizationId',
  'before',
  '__proto__',
  'wait[]',
  'x',
];

const PROVIDERS = ['anthropic', 'openai', 'google', 'gemini', 'openrouter', 'simulator', 'none'];

function encodeQuery(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const WEBHOOK_IDS = ['wh_01jcq8z5e0e5v8r3m6k1t2w9xh', 'wh_zzzzzzzzzzzzzzzzzzzzzzzzzz', 'del_x'];

const EXECUTION_IDS = ['exec_01jcq8z5e0e5v8r3m6k1t2w9xh', 'exec_zzzzzzzzzzzzzzzzzzzzzzzzzz'];

const SESSION_IDS = ['ses_01jcq8z5e0e5v8r3m6k1t2w9xh', 'ses_zzzzzzzzzzzzzzzzzzzzzzzzzz'];

function realIds(route: Route, known: Known): readonly string[] {
  if (route.kind === 'webhook') return WEBHOOK_IDS;
  if (route.kind === 'execution') return EXECUTION_IDS;
  if (route.kind === 'mine') return PROVIDERS;
  if (route.kind === 'person') return SESSION_IDS;
  if (route.kind === 'team') return known.teamIds;
  if (route.kind === 'api-key') return ['key_01jcq8z5e0e5v8r3m6k1t2w9xh', 'key_x'];
  return route.kind === 'job' ? known.jobIds : known.runIds;
}

function idFor(route: Route, known: Known): fc.Arbitrary<string> {
  const real = realIds(route, known);
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...real) },
    { weight: 2, arbitrary: oddText.map(encodeQuery) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        'job_01jcq8z5e0e5v8r3m6k1t2w9xh',
        'job_zzzzzzzzzzzzzzzzzzzzzzzzzz',
        '%00',
        '%ff%fe',
        '%',
        '%2e%2e%2f',
        'a%2Fb',
        'a'.repeat(600),
        'a'.repeat(20_000),
        '%C0%AF',
        '..',
        '*',
        ':id',
      ),
    },
  );
}

function queryFor(known: Known): fc.Arbitrary<string> {
  const values = fc.oneof(digits, times, oddText, fc.constantFrom('full', 'complete', 'plain'));
  const names = fc.constantFrom(...QUERY_NAMES);
  const pair = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(names, values) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('since', 'until'), times) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constant('organizationId'), fc.constantFrom(...known.teamIds, '\0')),
    },
  );
  const pairs = fc
    .array(pair, { maxLength: 3 })
    .map((list) => list.map(([name, value]) => `${name}=${encodeQuery(value)}`).join('&'));
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    { weight: 6, arbitrary: pairs.map((text) => `?${text}`) },
    { weight: 1, arbitrary: fc.constantFrom('?', '?%', '?&&=', '?a=%ff', '??', '#x', ';wait=1') },
  );
}

function targetFor(route: Route, known: Known): fc.Arbitrary<string> {
  const path = idFor(route, known).map((id) => route.path.replaceAll(/:\w+/g, () => id));
  const real = fc.tuple(path, queryFor(known)).map(([before, query]) => before + query);
  const odd = fc.oneof(
    unicode.map((text) => `/${Buffer.from(text).toString('latin1')}`.replaceAll(/[\r\n]/g, '')),
    fc.constantFrom('*', '', '/', '//', '/api/v2/execute', '/api/v1/execute/', '/API/V1/EXECUTE'),
    fc.constantFrom('http://example.com/api/v1/history', '/%00', '/%', '/\0', '/a b', '/docs/../x'),
  );
  return fc.oneof({ weight: 12, arbitrary: real }, { weight: 1, arbitrary: odd });
}

function credentials(known: Known): fc.Arbitrary<Header[]> {
  return fc.oneof(
    { weight: 10, arbitrary: fc.constant<Header[]>([['X-API-Key', known.key]]) },
    { weight: 4, arbitrary: fc.constant<Header[]>([['Authorization', `Bearer ${known.key}`]]) },
    {
      weight: 2,
      arbitrary: fc
        .oneof(fc.constantFrom(...known.badKeys, '', 'Bearer'), latin1)
        .chain((key) =>
          fc.constantFrom<Header[]>(
            [['X-API-Key', key]],
            [['Authorization', `Bearer ${key}`]],
            [['Authorization', key]],
          ),
        ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Header[]>(
        [],
        [
          ['X-API-Key', known.key],
          ['X-API-Key', known.key],
        ],
        [
          ['Authorization', `Bearer ${known.key}`],
          ['X-API-Key', 'mill_sk_no'],
        ],
      ),
    },
  );
}

const contentTypes = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Header[]>([['Content-Type', 'application/json']]) },
  {
    weight: 2,
    arbitrary: fc
      .oneof(
        fc.constantFrom('text/plain', 'application/json; charset=latin1', 'application/JSON', ''),
        fc.constantFrom('multipart/form-data', 'application/jsonx', ',', 'a/b;'.repeat(50)),
        latin1,
      )
      .map((value): Header[] => [['Content-Type', value]]),
  },
  { weight: 1, arbitrary: fc.constant<Header[]>([]) },
);

const idempotencyKey: fc.Arbitrary<Header> = fc.tuple(
  fc.constant('Idempotency-Key'),
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c') },
    fc.constantFrom('', 'x'.repeat(256)),
    latin1,
  ),
);

const extraHeader: fc.Arbitrary<Header> = fc.oneof(
  idempotencyKey,
  fc.tuple(
    fc.constant('Last-Event-ID'),
    fc.oneof(fc.constantFrom('0:0', '10:5', '999999:999999999', '-1:0', ':'), latin1),
  ),
  fc.constantFrom<Header>(
    ['Content-Encoding', 'gzip'],
    ['Content-Encoding', 'identity'],
    ['Transfer-Encoding', 'chunked'],
    ['Transfer-Encoding', 'gzip, chunked'],
    ['Content-Length', '3'],
    ['Content-Length', '-1'],
    ['Expect', '100-continue'],
    ['Expect', 'a miracle'],
    ['Upgrade', 'websocket'],
    ['Accept', 'text/html'],
    ['Origin', 'https://example.com'],
    ['X-Long', 'y'.repeat(20_000)],
    ['Bad Name', 'x'],
    ['X-Request-Id', 'mine'],
    ['Accept-Version', '9.9.9'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Provider-Key', 'sk-fuzz-of-a-request-1'],
    ['X-Provider-Key', 'short'],
  ),
  fc.tuple(fc.constant('X-Odd'), latin1),
);

const json = (value: unknown) => Buffer.from(JSON.stringify(value) ?? 'null');

const EXECUTE = { streamId: 'api', prompt: 'hello', model: 'sim-instant', maxTokens: 50 };
const RECORD = {
  run: { feature: 'fuzz', status: 'complete', startedAt: '2026-01-01T00:00:00Z' },
  streams: [{ streamId: 'api', status: 'complete' }],
};

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  oddText,
  times,
  fc.constantFrom(0, -1, 1.5, 1e308, 2 ** 53, -(2 ** 31) - 1, 2 ** 31, null, true),
);

const executeBody = fc
  .record(
    {
      timeoutMs: fc.oneof(fc.constantFrom(1000, 3_600_000, 999), oddValue),
      runId: fc.oneof(fc.constantFrom('r1', 'r2'), oddValue),
      feature: oddValue,
      streamName: oddValue,
      waveNumber: fc.oneof(fc.constantFrom(1, 100_000, 2 ** 31), oddValue),
      provider: fc.oneof(fc.constantFrom('simulator', 'openai', 'google'), oddValue),
      temperature: fc.oneof(fc.constantFrom(0, 2, 5e-324), oddValue),
      priority: fc.oneof(fc.integer({ min: -11, max: 11 }), oddValue),
      prompt: fc.oneof(fc.constantFrom('a\0b', '\ud800', 'é'.repeat(2000)), oddValue),
      model: fc.oneof(fc.constantFrom('sim-instant', 'gpt-4o', 'a/b', 'sim-'), oddValue),
      maxTokens: fc.oneof(fc.constantFrom(1, 200_000, 200_001), oddValue),
      streamId: fc.oneof(fc.constantFrom('api', 'x'.repeat(128)), oddValue),
      structuredPrompt: fc.oneof(
        fc.constantFrom({ taskContent: 'hello' }, { fullPrompt: 'hello', cachingHints: [{}] }),
        oddValue,
      ),
      unknown: oddValue,
    },
    { requiredKeys: [] },
  )
  .chain((all) =>
    fc.subarray(Object.keys(all), { maxLength: 2 }).map((names) => ({
      ...EXECUTE,
      ...Object.fromEntries(names.map((name) => [name, all[name as keyof typeof all]])),
    })),
  )
  .map(json);

const recordBody = fc
  .tuple(
    fc.record(
      {
        feature: oddValue,
        status: fc.oneof(fc.constantFrom('pending', 'paused'), oddValue),
        startedAt: times,
        durationMs: oddValue,
        streamCount: oddValue,
        organizationId: oddValue,
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        name: oddValue,
        waveNumber: oddValue,
        filesChanged: fc.array(oddValue, { maxLength: 3 }),
        tokensInput: fc.oneof(fc.constantFrom(1_000_000_000), oddValue),
        costUsd: fc.oneof(fc.constantFrom(1e9, 5e-324), oddValue),
      },
      { requiredKeys: [] },
    ),
    fc.nat({ max: 3 }),
  )
  .map(([run, stream, mode]) =>
    json({
      run: mode & 1 ? { ...RECORD.run, ...run } : RECORD.run,
      streams: mode & 2 ? [{ ...RECORD.streams[0], ...stream }] : RECORD.streams,
    }),
  );

const keyBody = fc
  .record({
    provider: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...PROVIDERS) },
      { weight: 1, arbitrary: oddValue },
    ),
    key: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom('sk-fuzz-000000001', ' sk-fuzz-2 ', '~'.repeat(500)),
      },
      { weight: 1, arbitrary: oddValue },
    ),
    tosAccepted: fc.oneof(
      { weight: 4, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: oddValue },
    ),
  })
  .map(json);

const webhookBody = fc
  .record({
    url: fc.oneof(
      fc.constantFrom('https://hooks.invalid/', 'http://127.1/', 'https://[::1]/', '//', 'x:'),
      oddValue,
    ),
    events: fc.oneof(fc.constantFrom(['*'], ['execution.failed'], [], ['x']), oddValue),
    description: oddValue,
    status: fc.oneof(fc.constantFrom('active', 'paused'), oddValue),
  })
  .chain((all) =>
    fc.subarray(Object.keys(all), { maxLength: 2 }).map((names) => ({
      url: 'https://hooks.invalid/',
      events: ['*'],
      ...Object.fromEntries(names.map((name) => [name, all[name as keyof typeof all]])),
    })),
  )
  .map(json);

const executionBody = fc
  .record({
    task: fc.oneof(fc.constantFrom('', '\0', 'x'.repeat(100_001)), oddValue),
    context: fc.oneof(
      fc.constantFrom(
        { contents: { '../x': '' } },
        { contents: { 'a.ts': 7 } },
        { files: ['\0', ''] },
        { environment: '\n' },
        { contents: { __proto__: null, 'a.md': '\ud800' } },
      ),
      oddValue,
    ),
    options: fc.oneof(
      fc.constantFrom(
        { maxSteps: 0 },
        { timeout: 1e9 },
        { budgetUsd: -1 },
        { budgetUsd: 1e-300 },
        { webhookUrl: 'http://127.1/' },
        { webhookUrl: 'file:///etc/passwd' },
      ),
      oddValue,
    ),
    model: oddValue,
    provider: oddValue,
  })
  .chain((all) =>
    fc.subarray(Object.keys(all), { maxLength: 2 }).map((names) => ({
      task: 'x',
      model: 'sim-instant',
      // One job each, as with the other routes: what runs then is not what is tested here.
      options: { dryRun: true },
      ...Object.fromEntries(names.map((name) => [name, all[name as keyof typeof all]])),
    })),
  )
  .map(json);

const deep = (open: string, close: string, inner: string) =>
  fc
    .constantFrom(10, 1000, 20_000)
    .map((depth) => Buffer.from(open.repeat(depth) + inner + close.repeat(depth)));

const hostileBody: fc.Arbitrary<Buffer> = fc.oneof(
  fc.jsonValue().map(json),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(
    Buffer.from([0xff, 0xfe, 0x7b]),
    Buffer.from('{"streamId":"api","__proto__":{"x":1}}'),
    Buffer.from('{"\\u005f_proto__":1}'),
    Buffer.from(`{"maxTokens":${'9'.repeat(400)}}`),
    Buffer.from('{"maxTokens":1e400}'),
    Buffer.from('\ufeff{}'),
    Buffer.from('{"a":1,"a":2}'),
    Buffer.from('0\r\n\r\n'),
    Buffer.from('5\r\nhello\r\n0\r\n\r\n'),
    Buffer.from('zz\r\n'),
  ),
  deep('[', ']', ''),
  deep('{"a":', '}', '1'),
  // Nested within a field that takes anything.
  fc.constantFrom(10, 20_000).map((depth) => {
    const hints = '['.repeat(depth) + ']'.repeat(depth);
    const body = JSON.stringify({ ...EXECUTE, structuredPrompt: { cachingHints: [7] } });
    return Buffer.from(body.replace('7', hints));
  }),
);

/** A message to the tools, with or without what the newest protocol asks for. */
const messageBody: fc.Arbitrary<Buffer> = fc
  .record(
    {
      jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>('2.0') }, oddValue),
      id: fc.oneof(fc.integer(), oddValue),
      method: fc.constantFrom('initialize', 'ping', 'tools/list', 'tools/call', 'server/discover'),
      params: fc.oneof(
        fc.record({ name: fc.constantFrom('millrace_status', 'nope'), arguments: oddValue }),
        oddValue,
      ),
    },
    { requiredKeys: ['method'] },
  )
  .map(json);

function bodyFor(route: Route): fc.Arbitrary<Buffer> {
  const isWebhook = route.path.startsWith('/v1/webhooks');
  const isExecution = route.path.startsWith('/v1/executions');
  const isAccount = /^\/(?:api\/v1\/(?:auth|api-keys|admin)|v1\/(?:teams|invitations))/.test(
    route.path,
  );
  const fitting = isAccount
    ? accountBody(oddValue)
    : route.kind === 'tools'
      ? messageBody
      : isWebhook
        ? webhookBody
        : isExecution
          ? executionBody
          : route.kind === 'mine'
            ? keyBody
            : route.method === 'PUT'
              ? recordBody
              : executeBody;
  const none = fc.constant(Buffer.alloc(0));
  if (route.method === 'GET') return fc.oneof({ weight: 8, arbitrary: none }, fitting, hostileBody);
  return fc.oneof(
    { weight: 1, arbitrary: none },
    { weight: 6, arbitrary: fitting },
    { weight: 2, arbitrary: hostileBody },
  );
}

function headersFor(route: Route, known: Known): fc.Arbitrary<Header[]> {
  const host = fc.oneof(
    { weight: 30, arbitrary: fc.constant<Header[]>([['Host', 'localhost']]) },
    fc.constantFrom<Header[]>([], [['Host', '']], [['Host', 'a b']]),
  );
  const extra = fc.oneof(
    { weight: 2, arbitrary: fc.constant<Header[]>([]) },
    { weight: 1, arbitrary: fc.array(extraHeader, { maxLength: 2 }) },
    { weight: route.kind === 'submit' ? 1 : 0, arbitrary: fc.tuple(idempotencyKey) },
  );
  const accepted: Header[] =
    route.kind === 'tools' ? [['Accept', 'application/json, text/event-stream']] : [];
  return fc
    .tuple(host, credentials(known), contentTypes, extra, fc.constant(accepted))
    .map((parts) => parts.flat());
}

export function anyRequest(known: Known): fc.Arbitrary<RawRequest> {
  // Where bodies are read there is more to go wrong.
  const weighed = ROUTES.map((route) => ({
    weight: route.method === 'GET' ? 1 : 3,
    arbitrary: fc.constant(route),
  }));
  return fc.oneof(...weighed).chain((route) =>
    fc.record({
      method: fc.oneof(
        { weight: 20, arbitrary: fc.constant(route.method) },
        { weight: 2, arbitrary: fc.constantFrom(...METHODS) },
        { weight: 1, arbitrary: fc.constantFrom(...ODD_METHODS) },
      ),
      target: targetFor(route, known),
      headers: headersFor(route, known),
      body: bodyFor(route),
      truncated: fc.oneof(
        { weight: 60, arbitrary: fc.constant(false) },
        { weight: 1, arbitrary: fc.constant(true) },
      ),
    }),
  );
}
