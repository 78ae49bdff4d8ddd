// The nastiest texts that each route accepts, at the largest size: none may cost many times what an
// ordinary request of that size costs, because nothing else is answered meanwhile.
import { describe, expect, it } from 'vitest';
import { TIMES, cpuMsOf, timesUsual } from '../support/cost.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ role: 'api' });

const BYTES = 8 * 1024 * 1024 - 1000;
const fill = (piece: string, bytes = BYTES) => piece.repeat(bytes / piece.length);
const list = (entry: string, bytes = BYTES) => `[${fill(`${entry},`, bytes).replace(/,$/, '')}]`;
const fields = (count: number, value: string) =>
  Array.from({ length: count }, (_, i) => `"${i.toString(36)}":${value}`).join(',');

const RUN = '"run":{"feature":"x","status":"complete","startedAt":"2026-01-01T00:00:00Z"}';
const EXECUTE = '"streamId":"a","model":"sim-instant","maxTokens":5';
const execute = (prompt: string) => `{${EXECUTE},"prompt":${JSON.stringify(prompt)}}`;
const PROMPT_BYTES = 4 * 1024 * 1024 - 1000;

const BODIES: [route: string, what: string, body: () => string][] = [
  ['POST /api/v1/execute', 'directives', () => execute(fill('[[sim:', PROMPT_BYTES))],
  ['POST /api/v1/execute', 'quotes', () => execute(fill('"', PROMPT_BYTES / 2))],
  ['POST /api/v1/execute', 'fences', () => execute(fill('```\n', PROMPT_BYTES))],
  ['POST /api/v1/execute', 'a long name', () => `{${EXECUTE},"streamName":"${fill('a-')}"}`],
  ['POST /api/v1/execute', 'a long model', () => `{"model":"${fill('gpt-')}"}`],
  ['POST /api/v1/execute', 'open brackets', () => fill('[')],
  ['POST /api/v1/execute', 'nested objects', () => fill('{"a":')],
  ['POST /api/v1/execute', 'closed brackets', () => fill('[', BYTES / 2) + fill(']', BYTES / 2)],
  ['POST /api/v1/execute', 'escapes', () => `{"prompt":"${fill('\\u005f')}"}`],
  ['POST /api/v1/execute', 'fields', () => `{${fields(700_000, '1')}}`],
  [
    'POST /api/v1/execute',
    'hints',
    () => `{${EXECUTE},"prompt":"x","structuredPrompt":{"cachingHints":[${list('[]')}]}}`,
  ],
  ['PUT /api/v1/history/x', 'bad streams', () => `{${RUN},"streams":${list('{}', 290_000)}}`],
  [
    'PUT /api/v1/history/x',
    'empty names',
    () => `{${RUN},"streams":${list(`{"filesChanged":${list('""', 30_000)}}`)}}`,
  ],
  [
    'PUT /api/v1/history/x',
    'short names',
    () =>
      `{${RUN},"streams":[{"streamId":"a","status":"complete","filesChanged":${list('"a"', 39_000)}}]}`,
  ],
  ['POST /v1/executions', 'a long task', () => `{"task":"${fill('[[sim:')}"}`],
  ['POST /v1/executions', 'files', () => `{"task":"x","context":{"files":${list('""')}}}`],
  [
    'POST /v1/executions',
    'contents',
    () => `{"task":"x","context":{"contents":{${fields(240_000, '1')}}}}`,
  ],
  ['POST /v1/executions', 'a URL', () => `{"task":"x","options":{"webhookUrl":"${fill('a://')}"}}`],
  ['POST /api/v1/keys', 'a long key', () => `{"provider":"openai","key":"${fill(' a')}"}`],
  ['POST /api/v1/keys', 'a provider', () => `{"provider":"${fill('a')}","key":"sk-123456789"}`],
  ['POST /v1/webhooks', 'a long URL', () => `{"events":["*"],"url":"${fill('https://a:b@')}"}`],
  ['POST /v1/webhooks', 'events', () => `{"url":"https://example.com","events":${list('"*"')}}`],
  ['POST /v1/webhooks', 'a description', () => `{"description":"${fill('\\n')}"}`],
];

interface Sent {
  body?: string;
  headers?: Record<string, string>;
}

async function send(route: string, key: string, init: Sent = {}): Promise<number> {
  const [method = '', path = ''] = route.split(' ');
  const response = await fetch(server().url + path, {
    method,
    ...init,
    headers: { 'x-api-key': key, ...init.headers },
  });
  await response.arrayBuffer();
  return response.status;
}

describe('a body made to stall the server', () => {
  it('costs about as much as any other of its size', async () => {
    const { key } = await server().createKey();
    const json = { headers: { 'content-type': 'application/json' } };
    const padded = JSON.stringify({ padding: fill('An ordinary text. ') });
    const honest = () => send('POST /api/v1/execute', key, { ...json, body: padded });
    await honest();
    const usual = await cpuMsOf(honest);
    for (const [route, what, make] of BODIES) {
      const body = make();
      let status = 0;
      const spent = await cpuMsOf(async () => {
        status = await send(route, key, { ...json, body });
      });
      expect(status, `${route}: ${what}`).toBeLessThan(500);
      expect(timesUsual(spent, usual), `${route}: ${what}`).toBeLessThan(TIMES);
    }
  });
});

describe('addresses and headers made to stall the server', () => {
  const LONG = 14_000;
  const piece = (text: string) => fill(text, LONG);
  const REQUESTS: [what: string, route: string, headers?: Record<string, string>][] = [
    ['a long word', `GET /${piece('a-')}`],
    ['slashes', `GET ${piece('/')}`],
    ['escapes', `GET /api/v1/job/${piece('%41')}`],
    ['an id', `GET /api/v1/history/${piece('a.')}`],
    ['a query', `GET /api/v1/history?${piece('limit=1&')}`],
    ['a feature', `GET /api/v1/history?feature=${piece('%25')}`],
    ['a time', `GET /api/v1/history?since=${piece('0')}`],
    ['a cursor', `GET /v1/executions?before=${piece('exec_')}`],
    ['a bearer', 'GET /api/v1/history', { authorization: `Bearer ${piece(' ')}x y` }],
    ['an event id', 'GET /api/v1/job/x/events', { 'last-event-id': piece('1:') }],
    ['an idempotency key', 'POST /api/v1/execute', { 'idempotency-key': piece('a ') }],
    ['a provider key', 'POST /api/v1/execute', { 'x-provider-key': piece('sk-') }],
    ['a media type', 'POST /api/v1/execute', { 'content-type': piece('application/json;') }],
    ['a URL with a password', `GET /${piece('a://b:')}`],
  ];

  it('cost about as much as any other', async () => {
    const { key } = await server().createKey();
    const often = async (route: string, headers: Record<string, string> = {}) => {
      for (let i = 0; i < 10; i++) expect(await send(route, key, { headers })).toBeLessThan(500);
    };
    await often('GET /api/v1/history');
    const usual = await cpuMsOf(() => often('GET /api/v1/history'));
    for (const [what, route, headers] of REQUESTS) {
      const spent = await cpuMsOf(() => often(route, headers));
      expect(timesUsual(spent, usual), what).toBeLessThan(TIMES);
    }
  });
});
