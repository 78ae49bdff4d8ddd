// Who may call what through the model endpoint, and with whose key: each way around its limits ends with a refusal in the
// vendor's own words, and nothing reaches the vendor.
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { takeFromBucket } from '../../src/store/usage/rate-limits.ts';
import { openSocket } from '../support/raw-http.ts';
import { startRawVendor } from '../support/raw-vendor.ts';
import type { RawVendor } from '../support/raw-vendor.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';

let vendor: RawVendor;
let server: TestServer;
let key: string;
let teamId: string;

beforeAll(async () => {
  vendor = await startRawVendor();
  const { url } = vendor;
  server = await startTestServer({
    baseUrls: {
      anthropic: `${url}/v1`,
      openai: `${url}/v1`,
      google: `${url}/v1beta`,
      openrouter: `${url}/v1`,
    },
    operatorKeys: {
      anthropic: 'operator-key-a',
      openai: 'operator-key-o',
      google: 'operator-key-g',
      openrouter: 'operator-key-r',
    },
  });
  const created = await server.createKey();
  ({ key } = created);
  teamId = await server.teamId(created.email);
});
afterAll(async () => {
  await server.close();
  await vendor.close();
});
beforeEach(() => {
  vendor.calls.length = 0;
  vendor.answer({});
});

interface Asked {
  method?: string;
  credential?: string | undefined;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
}

async function ask(
  path: string,
  { method = 'POST', credential = key, body, text, headers }: Asked = {},
) {
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      ...(credential === '' ? {} : { authorization: `Bearer ${credential}` }),
      ...headers,
    },
    ...(hasBody && { body: text ?? JSON.stringify(body ?? {}) }),
  });
  const answer = await response.text();
  return { status: response.status, text: answer, body: parsed(answer) };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const MESSAGE = {
  model: 'claude-opus-5-5',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'Hi' }],
};
const CHAT = { model: 'gpt-x', messages: [{ role: 'user', content: 'Hi' }] };
const ROUTED = { model: 'a/b', messages: CHAT.messages };
const RESPONSE = { model: 'gpt-x', input: 'Hi' };
const CONTENT = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
const GOOGLE = '/model/google/v1beta/models/gemini-2.5-flash:generateContent';

const untouched = () => expect(vendor.calls).toEqual([]);

describe('an address that is none', () => {
  it.each([
    ['GET', '/model/openai/v1/files'],
    ['POST', '/model/openai/v1/embeddings'],
    ['GET', '/model/openai/v1/responses/resp_1'],
    ['DELETE', '/model/openai/v1/responses/resp_1'],
    ['POST', '/model/openai/v1/responses/resp_1/cancel'],
    ['GET', '/model/openai/v1/models/gpt-x'],
    ['POST', '/model/openai/v1/chat/completions/'],
    ['POST', '/model/openai/v1//chat/completions'],
    ['POST', '/model/openai/v1/chat%2fcompletions'],
    ['POST', '/model/openai/v1/x/..%2fchat/completions'],
    ['POST', '/model/OPENAI/v1/chat/completions'],
    ['POST', '/model/openai/chat/completions'],
    ['GET', '/model/openai/v1/chat/completions'],
    ['PUT', '/model/anthropic/v1/messages'],
    ['POST', '/model/anthropic/v1/messages/batches'],
    ['POST', '/model/anthropic/v1/complete'],
    ['GET', '/model/anthropic/v1/organizations/usage'],
    ['POST', '/model/google/v1beta/cachedContents'],
    ['POST', '/model/google/v1beta/models/a/b:generateContent'],
    ['POST', '/model/google/v1beta/models/..%2f..%2ffiles:generateContent'],
    ['POST', '/model/google/v1beta/models/x:generateContent:countTokens'],
    ['POST', '/model/google/v1beta/models/x:batchGenerateContent'],
    ['POST', '/model/google/v1beta/tunedModels/x:generateContent'],
    ['POST', '/model/google/v1/models/x:generateContent'],
    ['GET', '/model/openrouter/v1/key'],
    ['GET', '/model/openrouter/v1/credits'],
    ['POST', '/model/mistral/v1/chat/completions'],
    ['POST', '/model'],
    ['POST', '/model/'],
  ])('%s %s', async (method, path) => {
    const { status } = await ask(path, { method });
    expect(status).toBe(404);
    untouched();
  });

  it('says so in the words of the vendor', async () => {
    expect((await ask('/model/anthropic/v1/none')).body).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error' },
    });
    expect((await ask('/model/openai/v1/none')).body).toMatchObject({
      error: { type: 'invalid_request_error', code: 'unknown_url', param: null },
    });
    expect((await ask('/model/google/v1beta/none')).body).toMatchObject({
      error: { code: 404, status: 'NOT_FOUND' },
    });
    expect((await ask('/model/openrouter/v1/none')).body).toMatchObject({ error: { code: 404 } });
  });
});

describe('a caller', () => {
  it('needs a key with the scope, where that vendor’s clients put it', async () => {
    const { key: other } = await server.createKey({ scopes: ['jobs', 'executions'] });
    const { key: limited } = await server.createKey({ scopes: ['models'] });
    const path = '/model/anthropic/v1/messages';
    expect((await ask(path, { credential: '', body: MESSAGE })).status).toBe(401);
    expect((await ask(path, { credential: 'sk-ant-x', body: MESSAGE })).status).toBe(401);
    expect((await ask(path, { credential: other, body: MESSAGE })).status).toBe(403);
    expect((await ask(`${path}?key=${key}`, { credential: '', body: MESSAGE })).status).toBe(401);
    // Not where another vendor's clients put it.
    expect(
      (await ask(path, { credential: '', headers: { 'x-goog-api-key': key }, body: MESSAGE }))
        .status,
    ).toBe(401);
    expect(
      (await ask(GOOGLE, { credential: '', headers: { 'x-api-key': key }, body: CONTENT })).status,
    ).toBe(401);
    const chat = '/model/openai/v1/chat/completions';
    expect(
      (await ask(chat, { credential: '', headers: { 'x-api-key': key }, body: CHAT })).status,
    ).toBe(401);
    expect(
      (await ask(chat, { credential: '', headers: { cookie: `mill=${key}` }, body: CHAT })).status,
    ).toBe(401);
    untouched();
    expect((await ask(path, { credential: limited, body: MESSAGE })).status).toBe(200);
    // A key for models opens nothing else.
    expect((await ask('/api/v1/jobs', { method: 'GET', credential: limited })).status).toBe(403);
    expect(
      (await ask(GOOGLE, { credential: '', headers: { 'x-goog-api-key': key }, body: CONTENT }))
        .status,
    ).toBe(200);
  });

  it('acts in a team of its own only', async () => {
    const { email } = await server.createKey();
    const foreign = await server.teamId(email);
    const answer = await ask('/model/anthropic/v1/messages', {
      body: MESSAGE,
      headers: { 'x-team-id': foreign },
    });
    expect(answer).toMatchObject({ status: 403, body: { error: { type: 'permission_error' } } });
    untouched();
  });
});

describe('a body', () => {
  const refused = async (path: string, text: string, why: RegExp) => {
    const { status, body } = await ask(path, { text });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringMatching(why)]);
    untouched();
  };
  const message = (more: string) =>
    `{"model":"claude-opus-5-5","max_tokens":10,"messages":[]${more}}`;

  it('with a name that is there twice, or that another reader might take for one, is refused', async () => {
    const path = '/model/anthropic/v1/messages';
    await refused(path, message(',"model":"claude-other"'), /twice/);
    await refused(path, message(',"mod\\u0065l":"claude-other"'), /twice/);
    await refused(path, message(',"tools":[{"name":"a","name":"b"}]'), /twice/);
    await refused(path, message(',"Model":"claude-other"'), /not both/);
    await refused(path, message(',"maxTokens":100000'), /not both/);
    await refused(path, '{"MODEL":"claude-opus-5-5","max_tokens":10}', /Write \\"model\\"/);
    await refused(path, message(',"__proto__":{"a":1}'), /__proto__/);
    await refused(
      GOOGLE,
      '{"contents":[],"generationConfig":{"maxOutputTokens":1,"max_output_tokens":100000}}',
      /not both/,
    );
    await refused(
      GOOGLE,
      '{"contents":[],"generation_config":{},"generationConfig":{}}',
      /not both/,
    );
  });

  it('that is no JSON object is refused', async () => {
    const path = '/model/openai/v1/chat/completions';
    for (const text of [
      '',
      'null',
      '[]',
      '"a"',
      '{',
      '{"a":1}}',
      "{'a':1}",
      '{"a":NaN}',
      '\uFEFF{}',
      `{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`,
    ]) {
      const { status } = await ask(path, { text });
      expect([text.slice(0, 20), status]).toEqual([text.slice(0, 20), 400]);
    }
    untouched();
  });
});

describe('a team that allows some models', () => {
  beforeAll(() =>
    settings({ allowedModels: ['claude-opus-*', 'gpt-x', 'a/b', 'gemini-2.5-flash'] }),
  );
  afterAll(() => settings({ allowedModels: null }));

  it('gets no other, however it is named', async () => {
    const forbidden: [string, unknown][] = [
      ['/model/anthropic/v1/messages', { ...MESSAGE, model: 'claude-haiku-5' }],
      ['/model/anthropic/v1/messages', { ...MESSAGE, model: 'xclaude-opus-5' }],
      ['/model/openai/v1/chat/completions', { ...CHAT, model: 'gpt-x-mini' }],
      ['/model/openrouter/v1/chat/completions', { ...ROUTED, models: ['c/d'] }],
      ['/model/openrouter/v1/chat/completions', { ...ROUTED, model: 'a/b:online' }],
      ['/model/google/v1beta/models/gemini-3-pro:generateContent', CONTENT],
      [
        '/model/google/v1beta/models/gemini-2.5-flash:countTokens',
        { generateContentRequest: { ...CONTENT, model: 'models/gemini-3-pro' } },
      ],
      ['/model/anthropic/v1/messages/count_tokens', { ...MESSAGE, model: 'claude-haiku-5' }],
    ];
    for (const [path, body] of forbidden) {
      const { status } = await ask(path, { body });
      expect([path, status]).toEqual([path, 403]);
    }
    for (const path of ['/model/openai/v1/responses', '/model/openrouter/v1/chat/completions']) {
      expect((await ask(path, { body: { input: 'x', messages: [] } })).status).toBe(400);
    }
    untouched();
    const job = await server.call('POST', '/api/v1/execute', {
      key,
      body: { streamId: 's', prompt: 'x', model: 'claude-haiku-5', maxTokens: 10 },
    });
    expect(job).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
    expect((await ask('/model/anthropic/v1/messages', { body: MESSAGE })).status).toBe(200);
    expect(
      (await ask(GOOGLE, { credential: '', headers: { 'x-goog-api-key': key }, body: CONTENT }))
        .status,
    ).toBe(200);
  });
});

describe('what a vendor keeps', () => {
  const responses = '/model/openai/v1/responses';

  it('is for the team that made it, unless the key is the caller’s own', async () => {
    const { key: other } = await server.createKey();
    vendor.answer({
      pieces: [
        '{"id":"resp_of_the_first","object":"response","status":"completed","model":"gpt-x","output":[],"usage":{"input_tokens":1,"output_tokens":1}}',
      ],
    });
    expect((await ask(responses, { body: RESPONSE })).status).toBe(200);
    vendor.calls.length = 0;
    const next = { ...RESPONSE, previous_response_id: 'resp_of_the_first' };
    expect((await ask(responses, { credential: other, body: next })).status).toBe(403);
    untouched();
    expect((await ask(responses, { body: next })).status).toBe(200);
    const own = { 'x-provider-key': 'sk-key-of-my-own' };
    expect((await ask(responses, { credential: other, body: next, headers: own })).status).toBe(
      200,
    );
  });

  it.each<[string, string, unknown]>([
    ['a conversation', responses, { ...RESPONSE, conversation: 'conv_1' }],
    ['a conversation as an object', responses, { ...RESPONSE, conversation: { id: 'conv_1' } }],
    ['a stored prompt', responses, { ...RESPONSE, prompt: { id: 'pmpt_1' } }],
    ['an item', responses, { ...RESPONSE, input: [{ type: 'item_reference', id: 'msg_1' }] }],
    [
      'a file',
      responses,
      {
        ...RESPONSE,
        input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }],
      },
    ],
    [
      'a picture',
      responses,
      {
        ...RESPONSE,
        input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] }],
      },
    ],
    [
      'a file in a chat',
      '/model/openai/v1/chat/completions',
      {
        ...CHAT,
        messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }],
      },
    ],
    [
      'a document',
      '/model/anthropic/v1/messages',
      {
        ...MESSAGE,
        messages: [
          {
            role: 'user',
            content: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }],
          },
        ],
      },
    ],
    [
      'a document in a tool result',
      '/model/anthropic/v1/messages',
      {
        ...MESSAGE,
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 't',
                content: [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }],
              },
            ],
          },
        ],
      },
    ],
    ['a container', '/model/anthropic/v1/messages', { ...MESSAGE, container: 'container_1' }],
    ['a cache', GOOGLE, { ...CONTENT, cachedContent: 'cachedContents/1' }],
    ['a cache, spelled otherwise', GOOGLE, { ...CONTENT, cached_content: 'cachedContents/1' }],
    [
      'a stored file',
      GOOGLE,
      { contents: [{ parts: [{ fileData: { fileUri: 'https://example.com/v1beta/files/1' } }] }] },
    ],
  ])('%s of another team cannot be named', async (_, path, body) => {
    const google = path === GOOGLE ? { credential: '', headers: { 'x-goog-api-key': key } } : {};
    expect((await ask(path, { body, ...google })).status).toBe(403);
    untouched();
  });
});

describe('a token of a stream', () => {
  const RUN = 'run-of-tokens';
  const create = (more: object = {}, credential = key) =>
    server.call('POST', '/v1/stream-tokens', {
      key: credential,
      body: {
        runId: RUN,
        streamId: 's',
        attempt: 1,
        fence: 1,
        models: ['claude-opus-5-5'],
        ...more,
      },
    });
  const message = (credential: string, more: object = {}) =>
    ask('/model/anthropic/v1/messages', { credential, body: { ...MESSAGE, ...more } });

  it('opens its models, and nothing else', async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    const token = body['token'] as string;
    expect((await message(token)).status).toBe(200);
    expect((await message(token, { model: 'claude-opus-5-6' })).status).toBe(403);
    expect(
      (await ask('/model/openrouter/v1/models', { method: 'GET', credential: token })).status,
    ).toBe(200);
    for (const [method, path] of [
      ['GET', '/api/v1/jobs'],
      ['POST', '/v1/stream-tokens'],
      ['GET', '/api/v1/auth/me'],
      ['POST', '/mcp'],
    ] as const) {
      const asked = await ask(path, { method, credential: token });
      expect([path, asked.status]).toEqual([path, 401]);
    }
    const { rows } = await server.db.query<{ run_id: string; stream_id: string; kind: string }>(
      `select run_id, stream_id, kind from jobs where run_id = $1`,
      [RUN],
    );
    expect(rows).toEqual([{ run_id: RUN, stream_id: 's', kind: 'call' }]);
    expect(server.logs()).not.toContain(token);
  });

  it('is dead when its attempt has ended, another process or a later attempt took over, or its lease is over', async () => {
    const first = await create({ streamId: 'fenced' });
    const second = await create({ streamId: 'fenced', attempt: 2 });
    const dead = first.body['token'] as string;
    const live = second.body['token'] as string;
    expect((await message(dead)).status).toBe(401);
    expect((await message(live)).status).toBe(200);
    expect((await create({ streamId: 'fenced', attempt: 1 })).status).toBe(409);
    expect((await create({ streamId: 'fenced', fence: 0, attempt: 9 })).status).toBe(409);
    const renew = (answer: typeof first, credential = key) =>
      server.call('POST', `/v1/stream-tokens/${String(answer.body['id'])}/renew`, {
        key: credential,
      });
    expect((await renew(first)).status).toBe(409);
    expect((await renew(second)).status).toBe(200);
    const { key: stranger } = await server.createKey();
    expect((await renew(second, stranger)).status).toBe(404);
    // A process that takes the run over ends the tokens of all of its streams.
    const other = await create({ streamId: 'other' });
    expect((await create({ streamId: 'fenced', fence: 2 })).status).toBe(201);
    expect((await message(live)).status).toBe(401);
    expect((await message(other.body['token'] as string)).status).toBe(401);
    const third = await create({ streamId: 'third', fence: 2 });
    const token = third.body['token'] as string;
    await server.call('DELETE', `/v1/stream-tokens/${String(third.body['id'])}`, { key });
    expect((await message(token)).status).toBe(401);
    const late = await create({ streamId: 'late', fence: 2 });
    await server.db.query(`update stream_tokens set expires_at = now() where id = $1`, [
      late.body['id'],
    ]);
    expect((await message(late.body['token'] as string)).status).toBe(401);
    expect((await renew(late)).status).toBe(409);
  });

  it('goes with the key that it was made with', async () => {
    const created = await server.createKey();
    const { body } = await create({ runId: 'run-of-a-revoked-key' }, created.key);
    const token = body['token'] as string;
    expect((await message(token)).status).toBe(200);
    await server.revokeKey(created.id);
    expect((await message(token)).status).toBe(401);
  });
});

it('more calls than a minute allows are refused, with the time to wait', async () => {
  const { key: busy, email } = await server.createKey();
  const bucket = `models ${await server.userId(email)}`;
  await takeFromBucket(server.db, bucket, 60_000, 60_000);
  const refused = await ask('/model/openrouter/v1/models', { method: 'GET', credential: busy });
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({ error: { code: 429 } });
});

it.each([
  ['is no JSON', '{', 1],
  ['never comes whole', '{"model":', 1000],
])('who may not call hears that, whatever is sent: a body that %s', async (_what, body, length) => {
  const { key: busy, email } = await server.createKey();
  const hourMs = 3_600_000;
  await takeFromBucket(server.db, `models ${await server.userId(email)}`, hourMs, hourMs);
  const socket = await openSocket(server.url);
  try {
    const answered = once(socket, 'data') as Promise<[Buffer]>;
    socket.write(
      `POST /model/openai/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${busy}\r\n` +
        `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
    );
    const [answer] = await answered;
    expect(answer.toString('latin1')).toMatch(/^HTTP\/1.1 429 /);
  } finally {
    socket.destroy();
  }
});

async function settings(changed: object): Promise<void> {
  const { status } = await server.call('PATCH', `/v1/teams/${teamId}`, {
    key,
    body: { settings: changed },
  });
  expect(status).toBe(200);
}
