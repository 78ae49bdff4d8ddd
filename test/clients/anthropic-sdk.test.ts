import type Anthropic from '@anthropic-ai/sdk';
import type * as Sdk from '@anthropic-ai/sdk';
import type * as Helpers from '@anthropic-ai/sdk/helpers/zod';
import type * as Zod from 'zod';
import { beforeAll, describe, expect, test } from 'vitest';
import { areInstalled } from './installed.ts';
import { useEndpoint } from './use-endpoint.ts';

const endpoint = useEndpoint();

describe.skipIf(!areInstalled)('the SDK of Anthropic', () => {
  let sdk: typeof Sdk;
  let helpers: typeof Helpers;
  let zod: typeof Zod;

  beforeAll(async () => {
    sdk = await import('@anthropic-ai/sdk');
    helpers = await import('@anthropic-ai/sdk/helpers/zod');
    zod = await import('zod');
  });

  const client = (maxRetries = 0): Anthropic =>
    new sdk.default({
      baseURL: `${endpoint().url}/anthropic`,
      apiKey: endpoint().credential,
      maxRetries,
    });
  const says = (content: string, more: object = {}) => ({
    model: 'sim-instant',
    max_tokens: 2000,
    messages: [{ role: 'user' as const, content }],
    ...more,
  });

  test('gets a text', async () => {
    const message = await client().messages.create(says('[[sim:echo große 🌊]]'));
    expect(message.content).toMatchObject([{ type: 'text', text: 'große 🌊' }]);
    expect(message).toMatchObject({ stop_reason: 'end_turn', model: 'sim-instant' });
    expect(message.usage.input_tokens).toBeGreaterThan(0);
    expect(message._request_id).toMatch(/^req_/);
    const cut = await client().messages.create(says('Hello.', { max_tokens: 3 }));
    expect(cut).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 3 } });
  });

  test('reads a stream as it comes', async () => {
    const stream = client().messages.stream(says('[[sim:echo große 🌊 and so on]]'));
    const texts: string[] = [];
    stream.on('text', (text) => texts.push(text));
    const message = await stream.finalMessage();
    expect(texts.join('')).toBe('große 🌊 and so on');
    expect(message.content).toMatchObject([{ text: 'große 🌊 and so on' }]);
    expect(message.usage.output_tokens).toBe(5);
  });

  test.each([false, true])('runs tools over several turns (streamed: %s)', async (isStream) => {
    const tools: Anthropic.Tool[] = ['read', 'write'].map((name) => ({
      name,
      input_schema: { type: 'object', properties: { path: { type: 'string' } } },
    }));
    const prompt =
      '[[sim:call read {"path":"a"}]] [[sim:calls read {"path":"b"} write {"path":"c"}]]';
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: prompt }];
    const used: unknown[] = [];
    let message: Anthropic.Message;
    do {
      const body = { model: 'sim-instant', max_tokens: 2000, tools, messages };
      message = isStream
        ? await client().messages.stream(body).finalMessage()
        : await client().messages.create(body);
      const uses = message.content.filter((block) => block.type === 'tool_use');
      used.push(...uses.map(({ name, input }) => [name, input]));
      messages.push({
        role: 'assistant',
        content: message.content as Anthropic.ContentBlockParam[],
      });
      if (uses.length > 0) {
        messages.push({
          role: 'user',
          content: uses.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })),
        });
      }
    } while (message.stop_reason === 'tool_use');
    expect(used).toEqual([
      ['read', { path: 'a' }],
      ['read', { path: 'b' }],
      ['write', { path: 'c' }],
    ]);
    expect(message.stop_reason).toBe('end_turn');
  });

  test('parses a structured answer', async () => {
    const { z } = zod;
    const schema = z.object({ title: z.string(), tags: z.array(z.string()), count: z.int() });
    const message = await client().messages.parse(
      says('Fill it in.', { output_config: { format: helpers.zodOutputFormat(schema) } }),
    );
    expect(schema.parse(message.parsed_output)).toMatchObject({ title: 'simulated' });
  });

  test('counts tokens and lists models', async () => {
    const { messages, model } = says('How long is this?');
    const { input_tokens } = await client().messages.countTokens({ messages, model });
    const { usage } = await client().messages.create(says('How long is this?'));
    expect(input_tokens).toBe(usage.input_tokens);
    const ids: string[] = [];
    for await (const { id } of client().models.list()) ids.push(id);
    expect(ids).toContain('sim-fast');
  });

  test.each([
    ['bad_request', 400, 'BadRequestError', 'invalid_request_error'],
    ['auth', 401, 'AuthenticationError', 'authentication_error'],
    ['permission', 403, 'PermissionDeniedError', 'permission_error'],
    ['model_not_found', 404, 'NotFoundError', 'not_found_error'],
    ['rate_limit retry-after=20', 429, 'RateLimitError', 'rate_limit_error'],
    ['upstream retry-after=20', 500, 'InternalServerError', 'api_error'],
    ['overloaded retry-after=20', 529, 'InternalServerError', 'overloaded_error'],
  ] as const)('raises %s as %d', async (kind, status, name, type) => {
    for (const isStream of [false, true]) {
      const body = says(`[[sim:${kind}]]`);
      const call = isStream
        ? client().messages.stream(body).finalMessage()
        : client().messages.create(body);
      const error: unknown = await call.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(sdk[name]);
      expect(error).toMatchObject({ status, error: { type: 'error', error: { type } } });
      if (status === 429) {
        expect((error as InstanceType<typeof sdk.APIError>).headers?.get('retry-after')).toBe('20');
      }
    }
  });

  test('tries again by itself', async () => {
    const body = says('[[sim:fail 4 overloaded retry-after=0.01]] [[sim:echo at last]]');
    const message = await client(2).messages.create(body);
    expect(message.content).toMatchObject([{ text: 'at last' }]);
  });

  test('raises an error in the middle of a stream', async () => {
    const stream = client().messages.stream(says('[[sim:cut 5 overloaded]]'));
    await expect(stream.finalMessage()).rejects.toMatchObject({
      error: { error: { type: 'overloaded_error' } },
    });
    const broken = client().messages.stream(says('[[sim:cut 5 network]]'));
    await expect(broken.finalMessage()).rejects.toThrow();
  });

  test('closes the call when it is aborted', async () => {
    const body = says('[[sim:tokens 1000]]', { model: 'sim-slow' });
    const stream = client().messages.stream(body);
    stream.on('text', () => stream.abort());
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(sdk.APIUserAbortError);
    expect(await endpoint().newestCall()).toMatchObject({ errorCode: 'CANCELLED' });
  });
});
