import type OpenAI from 'openai';
import type * as Sdk from 'openai';
import type * as Helpers from 'openai/helpers/zod';
import type * as Zod from 'zod';
import { beforeAll, describe, expect, test } from 'vitest';
import { areInstalled } from './installed.ts';
import { useEndpoint } from './use-endpoint.ts';

const endpoint = useEndpoint();

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } };
const PROMPT = '[[sim:call read {"path":"a"}]] [[sim:calls read {"path":"b"} write {"path":"c"}]]';
const CALLED = [
  ['read', '{"path":"a"}'],
  ['read', '{"path":"b"}'],
  ['write', '{"path":"c"}'],
];
const FAILURES = [
  ['bad_request', 400, 'BadRequestError', null],
  ['auth', 401, 'AuthenticationError', 'invalid_api_key'],
  ['permission', 403, 'PermissionDeniedError', 'missing_scope'],
  ['model_not_found', 404, 'NotFoundError', 'model_not_found'],
  ['rate_limit retry-after=20', 429, 'RateLimitError', 'rate_limit_exceeded'],
  ['upstream retry-after=20', 500, 'InternalServerError', 'server_error'],
  ['overloaded retry-after=20', 503, 'InternalServerError', 'server_is_overloaded'],
] as const;

describe.skipIf(!areInstalled)('the SDK of OpenAI', () => {
  let sdk: typeof Sdk;
  let helpers: typeof Helpers;
  let zod: typeof Zod;

  beforeAll(async () => {
    sdk = await import('openai');
    helpers = await import('openai/helpers/zod');
    zod = await import('zod');
  });

  const client = (maxRetries = 0): OpenAI =>
    new sdk.default({
      baseURL: `${endpoint().url}/openai/v1`,
      apiKey: endpoint().credential,
      maxRetries,
    });
  const model = 'sim-instant';
  const wanted = () => {
    const { z } = zod;
    return z.object({ title: z.string(), tags: z.array(z.string()), count: z.int() });
  };
  const errorOf = (call: Promise<unknown>) => call.catch((thrown: unknown) => thrown);

  test('lists models', async () => {
    const ids: string[] = [];
    for await (const { id } of client().models.list()) ids.push(id);
    expect(ids).toContain('sim-fast');
  });

  describe('with chat completions', () => {
    const says = (content: string) => ({ model, messages: [{ role: 'user' as const, content }] });

    test('gets a text, whole and as a stream', async () => {
      const body = says('[[sim:echo große 🌊]]');
      const whole = await client().chat.completions.create(body);
      expect(whole.choices).toMatchObject([
        { message: { role: 'assistant', content: 'große 🌊' }, finish_reason: 'stop' },
      ]);
      expect(whole.usage).toMatchObject({ completion_tokens: 2 });
      expect(whole._request_id).toMatch(/^req_/);
      const stream = client().chat.completions.stream({
        ...body,
        stream_options: { include_usage: true },
      });
      const texts: string[] = [];
      stream.on('content', (delta) => texts.push(delta));
      const final = await stream.finalChatCompletion();
      expect(texts.join('')).toBe('große 🌊');
      expect(final.usage).toEqual(whole.usage);
    });

    test.each([false, true])('runs tools over several turns (streamed: %s)', async (isStream) => {
      const tools: OpenAI.ChatCompletionTool[] = ['read', 'write'].map((name) => ({
        type: 'function',
        function: { name, parameters: SCHEMA },
      }));
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: PROMPT }];
      const called: unknown[] = [];
      for (;;) {
        const body = { model, tools, messages };
        const { choices } = isStream
          ? await client().chat.completions.stream(body).finalChatCompletion()
          : await client().chat.completions.create(body);
        const { message, finish_reason } = choices[0]!;
        messages.push(message);
        if (finish_reason !== 'tool_calls') {
          expect(message.content).toContain('simulated by');
          break;
        }
        for (const call of message.tool_calls ?? []) {
          if (call.type !== 'function') throw new Error('no such tool was offered');
          called.push([call.function.name, call.function.arguments]);
          messages.push({ role: 'tool', tool_call_id: call.id, content: 'ok' });
        }
      }
      expect(called).toEqual(CALLED);
    });

    test('parses a structured answer', async () => {
      const { choices } = await client().chat.completions.parse({
        ...says('Fill it in.'),
        response_format: helpers.zodResponseFormat(wanted(), 'wanted'),
      });
      expect(wanted().parse(choices[0]!.message.parsed)).toMatchObject({ title: 'simulated' });
    });

    test.each(FAILURES)('raises %s as %d', async (kind, status, name, code) => {
      const body = says(`[[sim:${kind}]]`);
      const whole = await errorOf(client().chat.completions.create(body));
      const streamed = await errorOf(client().chat.completions.stream(body).finalChatCompletion());
      for (const error of [whole, streamed]) {
        expect(error).toBeInstanceOf(sdk[name]);
        expect(error).toMatchObject({ status, code });
        if (status === 429) {
          expect((error as InstanceType<typeof sdk.APIError>).headers?.get('retry-after')).toBe(
            '20',
          );
        }
      }
    });

    test('tries again by itself', async () => {
      const body = says('[[sim:fail 4 upstream retry-after=0.01]] [[sim:echo at last]]');
      const { choices } = await client(2).chat.completions.create(body);
      expect(choices[0]!.message.content).toBe('at last');
    });

    test('raises an error in the middle of a stream', async () => {
      const stream = client().chat.completions.stream(says('[[sim:cut 5 overloaded]]'));
      await expect(stream.finalChatCompletion()).rejects.toMatchObject({
        code: 'server_is_overloaded',
      });
    });

    test('closes the call when it is aborted', async () => {
      const body = { ...says('[[sim:tokens 1000]]'), model: 'sim-slow' };
      const stream = client().chat.completions.stream(body);
      stream.on('content', () => stream.abort());
      await expect(stream.finalChatCompletion()).rejects.toBeInstanceOf(sdk.APIUserAbortError);
      expect(await endpoint().newestCall()).toMatchObject({ errorCode: 'CANCELLED' });
    });
  });

  describe('with responses', () => {
    test('gets a text, whole and as a stream', async () => {
      const body = { model, input: '[[sim:echo große 🌊]]' };
      const whole = await client().responses.create(body);
      expect(whole).toMatchObject({ output_text: 'große 🌊', status: 'completed' });
      const types: string[] = [];
      const stream = client().responses.stream(body);
      stream.on('event', ({ type }) => types.push(type));
      const final = await stream.finalResponse();
      expect(final.output_text).toBe('große 🌊');
      expect(final.usage).toEqual(whole.usage);
      expect(types).toContain('response.content_part.done');
      const cut = await client().responses.create({ ...body, input: 'Hi', max_output_tokens: 3 });
      expect(cut).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      });
    });

    test.each([false, true])('runs tools over several turns (streamed: %s)', async (isStream) => {
      const tools: OpenAI.Responses.Tool[] = ['read', 'write'].map((name) => ({
        type: 'function',
        name,
        parameters: SCHEMA,
        strict: false,
      }));
      const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: PROMPT }];
      const called: unknown[] = [];
      for (;;) {
        const body = { model, tools, input };
        const response = isStream
          ? await client().responses.stream(body).finalResponse()
          : await client().responses.create(body);
        const calls = (response.output as OpenAI.Responses.ResponseOutputItem[]).filter(
          (item) => item.type === 'function_call',
        );
        input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]));
        if (calls.length === 0) {
          expect(response.output_text).toContain('simulated by');
          break;
        }
        for (const call of calls) {
          called.push([call.name, call.arguments]);
          input.push({ type: 'function_call_output', call_id: call.call_id, output: 'ok' });
        }
      }
      expect(called).toEqual(CALLED);
    });

    test('parses a structured answer', async () => {
      const response = await client().responses.parse({
        model,
        input: 'Fill it in.',
        text: { format: helpers.zodTextFormat(wanted(), 'wanted') },
      });
      expect(wanted().parse(response.output_parsed)).toMatchObject({ title: 'simulated' });
    });

    test.each(FAILURES)('raises %s as %d', async (kind, status, name, code) => {
      const body = { model, input: `[[sim:${kind}]]` };
      const whole = await errorOf(client().responses.create(body));
      const streamed = await errorOf(client().responses.stream(body).finalResponse());
      for (const error of [whole, streamed]) {
        expect(error).toBeInstanceOf(sdk[name]);
        expect(error).toMatchObject({ status, code });
      }
    });

    test('raises an error in the middle of a stream', async () => {
      const stream = client().responses.stream({ model, input: '[[sim:cut 5 overloaded]]' });
      await expect(stream.finalResponse()).rejects.toMatchObject({ code: 'server_is_overloaded' });
    });

    test('closes the call when it is aborted', async () => {
      const controller = new AbortController();
      const stream = await client().responses.create(
        { model: 'sim-slow', input: '[[sim:tokens 1000]]', stream: true },
        { signal: controller.signal },
      );
      // This client ends quietly: what came is not the whole, and nothing says so.
      for await (const { type } of stream) {
        if (type === 'response.output_text.delta') controller.abort();
        expect(type).not.toBe('response.completed');
      }
      expect(await endpoint().newestCall()).toMatchObject({ errorCode: 'CANCELLED' });
    });
  });
});
