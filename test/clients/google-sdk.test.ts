import type { Content, FunctionDeclaration, GoogleGenAI } from '@google/genai';
import type * as Sdk from '@google/genai';
import { beforeAll, describe, expect, test } from 'vitest';
import { areInstalled } from './installed.ts';
import { useEndpoint } from './use-endpoint.ts';

const endpoint = useEndpoint();
const model = 'sim-instant';

describe.skipIf(!areInstalled)('the SDK of Google', () => {
  let sdk: typeof Sdk;

  beforeAll(async () => {
    sdk = await import('@google/genai');
  });

  const client = (): GoogleGenAI =>
    new sdk.GoogleGenAI({
      apiKey: endpoint().credential,
      apiVersion: 'v1beta',
      // Several tries are made where this is not set.
      httpOptions: { baseUrl: `${endpoint().url}/google`, retryOptions: { attempts: 1 } },
    });

  test('gets a text, whole and as a stream', async () => {
    const asked = { model, contents: '[[sim:echo große 🌊]]' };
    const whole = await client().models.generateContent(asked);
    expect(whole.text).toBe('große 🌊');
    expect(whole.usageMetadata).toMatchObject({ candidatesTokenCount: 2 });
    expect(whole.candidates?.[0]?.finishReason).toBe('STOP');
    let text = '';
    let last;
    for await (const chunk of await client().models.generateContentStream(asked)) {
      text += chunk.text ?? '';
      last = chunk;
    }
    expect(text).toBe('große 🌊');
    expect(last?.usageMetadata?.totalTokenCount).toBe(whole.usageMetadata?.totalTokenCount);
    const config = { maxOutputTokens: 3 };
    const cut = await client().models.generateContent({ model, contents: 'Hello.', config });
    expect(cut.candidates?.[0]?.finishReason).toBe('MAX_TOKENS');
  });

  test.each([false, true])('runs tools over several turns (streamed: %s)', async (isStream) => {
    const functionDeclarations: FunctionDeclaration[] = ['read', 'write'].map((name) => ({
      name,
      parametersJsonSchema: { type: 'object', properties: { path: { type: 'string' } } },
    }));
    const text =
      '[[sim:call read {"path":"a"}]] [[sim:calls read {"path":"b"} write {"path":"c"}]]';
    const contents: Content[] = [{ role: 'user', parts: [{ text }] }];
    const called: unknown[] = [];
    for (;;) {
      const asked = { model, contents, config: { tools: [{ functionDeclarations }] } };
      const answers = isStream
        ? await Array.fromAsync(await client().models.generateContentStream(asked))
        : [await client().models.generateContent(asked)];
      const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
      contents.push({ role: 'model', parts });
      const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
      if (calls.length === 0) break;
      called.push(...calls.map(({ name, args }) => [name, args]));
      contents.push({
        role: 'user',
        parts: calls.map(({ id, name }) => ({
          functionResponse: { id: id!, name: name!, response: { output: 'ok' } },
        })),
      });
    }
    expect(called).toEqual([
      ['read', { path: 'a' }],
      ['read', { path: 'b' }],
      ['write', { path: 'c' }],
    ]);
    expect(
      contents
        .at(-1)
        ?.parts?.map(({ text }) => text)
        .join(''),
    ).toContain('simulated by');
  });

  test('gets a value of a schema, in both of its languages', async () => {
    const { Type } = sdk;
    const properties = { title: { type: Type.STRING }, count: { type: Type.INTEGER } };
    const own = { type: Type.OBJECT, properties, required: ['title', 'count'] };
    const json = {
      type: 'object',
      properties: { title: { type: 'string' }, count: { type: 'integer' } },
    };
    for (const schema of [{ responseSchema: own }, { responseJsonSchema: json }]) {
      const config = { responseMimeType: 'application/json', ...schema };
      const { text } = await client().models.generateContent({
        model,
        contents: 'Fill in',
        config,
      });
      expect(JSON.parse(text ?? '')).toEqual({ title: 'simulated', count: 1 });
    }
  });

  test('counts tokens and lists models', async () => {
    const asked = { model, contents: 'How long is this?' };
    const { totalTokens } = await client().models.countTokens(asked);
    const { usageMetadata } = await client().models.generateContent(asked);
    expect(totalTokens).toBe(usageMetadata?.promptTokenCount);
    const names: (string | undefined)[] = [];
    for await (const { name } of await client().models.list()) names.push(name);
    expect(names).toContain('models/sim-fast');
  });

  test.each([
    ['bad_request', 400, 'INVALID_ARGUMENT'],
    ['auth', 400, 'API_KEY_INVALID'],
    ['permission', 403, 'PERMISSION_DENIED'],
    ['model_not_found', 404, 'NOT_FOUND'],
    ['rate_limit retry-after=20', 429, '"retryDelay":"20s"'],
    ['upstream retry-after=20', 500, 'INTERNAL'],
    ['overloaded retry-after=20', 503, 'UNAVAILABLE'],
  ])('raises %s as %d', async (kind, status, part) => {
    const asked = { model, contents: `[[sim:${kind}]]` };
    for (const call of [
      () => client().models.generateContent(asked),
      () => client().models.generateContentStream(asked),
    ]) {
      const error: unknown = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(sdk.ApiError);
      expect(error).toMatchObject({ status });
      expect((error as Error).message).toContain(part);
    }
  });

  test('raises an error in the middle of a stream', async () => {
    const asked = { model, contents: '[[sim:cut 5 overloaded]]' };
    const stream = await client().models.generateContentStream(asked);
    await expect(Array.fromAsync(stream)).rejects.toThrow('overloaded');
  });

  test('closes the call when it is aborted', async () => {
    const controller = new AbortController();
    const stream = await client().models.generateContentStream({
      model: 'sim-slow',
      contents: '[[sim:tokens 1000]]',
      config: { abortSignal: controller.signal },
    });
    const reading = (async () => {
      for await (const _ of stream) controller.abort();
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    expect(await endpoint().newestCall()).toMatchObject({ errorCode: 'CANCELLED' });
  });
});
