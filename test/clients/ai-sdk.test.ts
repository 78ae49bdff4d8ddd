// Vercel's AI SDK, which has a package of its own for each vendor, and OpenRouter's package for it.
import type { LanguageModel } from 'ai';
import type * as Ai from 'ai';
import type * as Zod from 'zod';
import { beforeAll, describe, expect, test } from 'vitest';
import { areInstalled } from './installed.ts';
import { useEndpoint } from './use-endpoint.ts';

const endpoint = useEndpoint();

const KINDS = ['anthropic', 'openai', 'openai chat', 'google', 'openrouter'] as const;
type Kind = (typeof KINDS)[number];

/** What an overloaded vendor answers. */
const OVERLOADED: Record<Kind, number> = {
  anthropic: 529,
  openai: 503,
  'openai chat': 503,
  google: 503,
  openrouter: 503,
};
const UNAUTHORIZED: Record<Kind, number> = {
  anthropic: 401,
  openai: 401,
  'openai chat': 401,
  google: 400,
  openrouter: 401,
};

describe.skipIf(!areInstalled).each(KINDS)('the AI SDK with %s', (kind) => {
  let ai: typeof Ai;
  let zod: typeof Zod;
  let modelOf: (id: string) => LanguageModel;

  beforeAll(async () => {
    ai = await import('ai');
    zod = await import('zod');
    const { url, credential: apiKey } = endpoint();
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const { createOpenAI } = await import('@ai-sdk/openai');
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    const { createOpenRouter } = await import('@openrouter/ai-sdk-provider');
    const openai = createOpenAI({ baseURL: `${url}/openai/v1`, apiKey });
    const models: Record<Kind, (id: string) => LanguageModel> = {
      anthropic: createAnthropic({ baseURL: `${url}/anthropic/v1`, apiKey }),
      openai: (id) => openai.responses(id),
      'openai chat': (id) => openai.chat(id),
      google: createGoogleGenerativeAI({ baseURL: `${url}/google/v1beta`, apiKey }),
      openrouter: createOpenRouter({ baseURL: `${url}/openrouter/v1`, apiKey }).chat,
    };
    modelOf = models[kind];
  });

  const model = () => modelOf('sim-instant');
  const quiet = { maxRetries: 0 };

  test('gets a text, whole and as a stream', async () => {
    const prompt = '[[sim:echo große 🌊]]';
    const whole = await ai.generateText({ model: model(), prompt, ...quiet });
    expect(whole).toMatchObject({ text: 'große 🌊', finishReason: 'stop' });
    expect(whole.usage).toMatchObject({ outputTokens: 2 });
    const streamed = ai.streamText({ model: model(), prompt, ...quiet });
    expect(await Array.fromAsync(streamed.textStream)).not.toHaveLength(0);
    expect(await streamed.text).toBe('große 🌊');
    expect(await streamed.finishReason).toBe('stop');
    const { inputTokens, outputTokens, totalTokens } = whole.usage;
    expect(await streamed.usage).toMatchObject({ inputTokens, outputTokens, totalTokens });
  });

  test.each([false, true])('runs tools over several turns (streamed: %s)', async (isStream) => {
    const called: unknown[] = [];
    const tool = (name: string) =>
      ai.tool({
        inputSchema: zod.z.object({ path: zod.z.string() }),
        execute({ path }) {
          called.push([name, path]);
          return 'ok';
        },
      });
    const asked = {
      ...quiet,
      model: model(),
      prompt: '[[sim:call read {"path":"a"}]] [[sim:calls read {"path":"b"} write {"path":"c"}]]',
      tools: { read: tool('read'), write: tool('write') },
      stopWhen: ai.stepCountIs(5),
    };
    if (isStream) expect(await ai.streamText(asked).text).toContain('simulated by');
    else expect((await ai.generateText(asked)).text).toContain('simulated by');
    expect(called).toEqual([
      ['read', 'a'],
      ['read', 'b'],
      ['write', 'c'],
    ]);
  });

  test('parses a structured answer', async () => {
    const { z } = zod;
    const schema = z.object({ title: z.string(), tags: z.array(z.string()) });
    const output = ai.Output.object({ schema });
    const answer = await ai.generateText({ model: model(), prompt: 'Fill in.', output, ...quiet });
    expect(answer.output).toEqual({ title: 'simulated', tags: ['simulated'] });
  });

  test('raises failures with their status', async () => {
    const statusOf = async (directive: string) => {
      const call = ai.generateText({ model: model(), prompt: `[[sim:${directive}]]`, ...quiet });
      const error: unknown = await call.catch((thrown: unknown) => thrown);
      expect(ai.APICallError.isInstance(error)).toBe(true);
      return error as InstanceType<typeof ai.APICallError>;
    };
    expect((await statusOf('bad_request')).statusCode).toBe(400);
    expect((await statusOf('auth')).statusCode).toBe(UNAUTHORIZED[kind]);
    const limited = await statusOf('rate_limit retry-after=20');
    expect(limited).toMatchObject({ statusCode: 429, isRetryable: true });
    expect(limited.responseHeaders?.['retry-after']).toBe('20');
    expect((await statusOf('upstream retry-after=20')).statusCode).toBe(
      kind === 'openrouter' ? 502 : 500,
    );
    const overloaded = await statusOf('overloaded retry-after=20');
    expect(overloaded.statusCode).toBe(OVERLOADED[kind]);
    expect(overloaded.message).toMatch(/^Simulated failure: .*overloaded/);
  });

  test('reports an error in the middle of a stream', async () => {
    const errors: unknown[] = [];
    const { textStream } = ai.streamText({
      ...quiet,
      model: model(),
      prompt: '[[sim:cut 5 overloaded]]',
      onError: ({ error }) => void errors.push(error),
    });
    const text = (await Array.fromAsync(textStream).catch(() => [])).join('');
    expect(text.length).toBeLessThan(40);
    expect(errors).toHaveLength(1);
  });

  test('closes the call when it is aborted', async () => {
    const controller = new AbortController();
    const { textStream } = ai.streamText({
      ...quiet,
      model: modelOf('sim-slow'),
      prompt: '[[sim:tokens 1000]]',
      abortSignal: controller.signal,
      onError: () => {},
    });
    for await (const _ of textStream) controller.abort();
    expect(await endpoint().newestCall()).toMatchObject({ errorCode: 'CANCELLED' });
  });
});
