import { describe, expect, it } from 'vitest';
import { PUBLIC_PROVIDERS } from '../../src/domain/model/model-routing.ts';
import type { PromptParts, ProviderRequest } from '../../src/providers/provider.ts';
import { buildRequest } from '../../src/providers/vendors/requests/build-request.ts';

const long = (word: string) => `${word} `.repeat(3000);
const LONG: PromptParts = {
  systemContent: long('system'),
  projectContext: long('project'),
  streamContext: long('stream'),
  taskContent: long('task'),
};
const SHORT: PromptParts = {
  systemContent: 'system',
  projectContext: 'project',
  streamContext: 'stream',
  taskContent: 'task',
};

const request = (parts?: PromptParts, fields: Partial<ProviderRequest> = {}): ProviderRequest => ({
  ownerId: 'usr_1',
  cacheScope: 'usr_1:run_1',
  streamId: 's',
  model: 'm',
  prompt: 'the whole prompt',
  ...(parts ? { parts } : {}),
  maxTokens: 10,
  signal: new AbortController().signal,
  ...fields,
});

type Json = Record<string, unknown>;

function bodyOf(provider: (typeof PUBLIC_PROVIDERS)[number], asked: ProviderRequest): Json {
  return buildRequest({ provider, custom: false }, asked, asked.maxTokens).body as Json;
}

function partsOf(role: string, content: unknown) {
  if (content === undefined) return [];
  if (typeof content === 'string') return [{ role, text: content, mark: undefined }];
  return (content as Json[]).map((part) => ({
    role,
    text: part['text'],
    mark: part['cache_control'] ?? part['prompt_cache_breakpoint'],
  }));
}

/** Texts in the order in which they are sent, each with its mark. */
function sent(provider: (typeof PUBLIC_PROVIDERS)[number], asked: ProviderRequest) {
  const body = bodyOf(provider, asked);
  if (provider === 'google') {
    const [turn] = body['contents'] as Json[];
    const system = body['systemInstruction'] as Json | undefined;
    return [...partsOf('system', system?.['parts']), ...partsOf('user', turn?.['parts'])];
  }
  const turns = (body['messages'] ?? body['input']) as { role: string; content: unknown }[];
  return [
    ...partsOf('system', body['system']),
    ...turns.flatMap(({ role, content }) =>
      partsOf(role === 'developer' ? 'system' : role, content),
    ),
  ];
}

describe.each(PUBLIC_PROVIDERS)('a prompt for %s', (provider) => {
  it('without parts is one message, unchanged and without a mark', () => {
    const parts = sent(provider, request());
    expect(parts).toEqual([{ role: 'user', text: 'the whole prompt', mark: undefined }]);
  });

  it('keeps the parts apart, in one order and byte for byte', () => {
    const parts = sent(provider, request(LONG));
    expect(parts.map(({ role, text }) => [role, text])).toEqual([
      ['system', LONG.systemContent],
      ['user', LONG.projectContext],
      ['user', LONG.streamContext],
      ['user', LONG.taskContent],
    ]);
  });

  it('is laid out the same every time', () => {
    expect(bodyOf(provider, request(LONG))).toEqual(bodyOf(provider, request(LONG)));
  });

  it('leaves empty parts out', () => {
    const parts = { ...SHORT, systemContent: '', streamContext: '' };
    expect(sent(provider, request(parts)).map(({ text }) => text)).toEqual(['project', 'task']);
    const only = { ...SHORT, projectContext: '', streamContext: '', taskContent: '' };
    expect(sent(provider, request(only))).toEqual([
      { role: 'system', text: 'system', mark: undefined },
    ]);
  });

  it('marks nothing in a prompt that is too short to be cached', () => {
    const marked = sent(provider, request(SHORT, { model: 'gpt-5.6' })).filter(({ mark }) => mark);
    expect(marked).toEqual([]);
  });

  it('never marks the task, which is new every time', () => {
    const task = sent(provider, request(LONG, { model: 'gpt-5.6' })).at(-1);
    expect(task).toMatchObject({ text: LONG.taskContent, mark: undefined });
  });
});

describe('the cuts of a long prompt', () => {
  const marksOf = (provider: (typeof PUBLIC_PROVIDERS)[number], model: string, parts = LONG) =>
    sent(provider, request(parts, { model })).map(({ mark }) => mark);

  it('are marked for Anthropic, three of the four that it allows', () => {
    const mark = { type: 'ephemeral' };
    expect(marksOf('anthropic', 'claude-x')).toEqual([mark, mark, mark, undefined]);
  });

  it('are marked for OpenRouter, which passes them on', () => {
    const mark = { type: 'ephemeral' };
    expect(marksOf('openrouter', 'a/b')).toEqual([mark, mark, mark, undefined]);
  });

  it('are not marked for Google, which caches prefixes by itself', () => {
    expect(marksOf('google', 'gemini-3')).toEqual([undefined, undefined, undefined, undefined]);
  });

  it.each(['gpt-5.6', 'gpt-5.9-mini', 'gpt-6', 'gpt-6.1', 'gpt-10'])(
    'are marked for %s of OpenAI',
    (model) => {
      const mark = { mode: 'explicit' };
      expect(marksOf('openai', model)).toEqual([mark, mark, mark, undefined]);
      const body = bodyOf('openai', request(LONG, { model }));
      expect(body).toMatchObject({ prompt_cache_options: { mode: 'explicit' } });
    },
  );

  it.each(['gpt-4o', 'gpt-4.1', 'gpt-5', 'gpt-5.5', 'o3', 'chatgpt-4o-latest'])(
    'are not marked for %s of OpenAI, which does not know the marks',
    (model) => {
      expect(marksOf('openai', model)).toEqual([undefined, undefined, undefined, undefined]);
      const body = bodyOf('openai', request(LONG, { model }));
      expect(body).not.toHaveProperty('prompt_cache_options');
    },
  );

  it('are marked from where the prefix is long enough, counting what came before', () => {
    const parts = { ...SHORT, projectContext: LONG.projectContext };
    const mark = { type: 'ephemeral' };
    expect(marksOf('anthropic', 'claude-x', parts)).toEqual([undefined, mark, mark, undefined]);
  });
});

describe('wishes about caching', () => {
  const marksFor = (caching: ProviderRequest['caching']) =>
    sent('anthropic', request(LONG, { model: 'claude-x', ...(caching && { caching }) })).map(
      ({ mark }) => mark,
    );
  const short = { type: 'ephemeral' };
  const hour = { type: 'ephemeral', ttl: '1h' };

  it('can leave a part unmarked', () => {
    expect(marksFor({ projectContext: 'none' })).toEqual([short, undefined, short, undefined]);
  });

  it('can ask for a longer life', () => {
    expect(marksFor({ systemContent: '1h' })).toEqual([hour, short, short, undefined]);
    const both = { systemContent: '1h', projectContext: '1h' } as const;
    expect(marksFor(both)).toEqual([hour, hour, short, undefined]);
  });

  it('never put a long life behind a short one, which vendors refuse', () => {
    expect(marksFor({ streamContext: '1h' })).toEqual([short, short, short, undefined]);
    const behindNone = { systemContent: 'none', projectContext: '1h' } as const;
    expect(marksFor(behindNone)).toEqual([undefined, hour, short, undefined]);
  });
});

describe('what OpenAI is told besides', () => {
  const told = (fields: Partial<ProviderRequest>) => bodyOf('openai', request(undefined, fields));

  it('is to keep nothing', () => {
    expect(told({})).toMatchObject({ store: false });
  });

  it('is one cache key for each scope, short enough and without our ids', () => {
    const cacheScope = `usr_1:${'r'.repeat(200)}`;
    const key = told({ cacheScope })['prompt_cache_key'];
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(told({ cacheScope })['prompt_cache_key']).toBe(key);
    expect(told({ cacheScope: 'usr_2:run_1' })['prompt_cache_key']).not.toBe(key);
  });

  it('is not told to the others', () => {
    for (const provider of ['anthropic', 'google', 'openrouter'] as const) {
      expect(JSON.stringify(bodyOf(provider, request(LONG)))).not.toMatch(/store|prompt_cache/);
    }
  });
});
