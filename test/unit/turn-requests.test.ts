// What each vendor is sent of a conversation, beyond what a round trip shows.
import { describe, expect, it } from 'vitest';
import type { Message, OpaqueAnswer } from '../../src/contract/conversation-api.ts';
import type { ProviderRequest } from '../../src/providers/provider.ts';
import { buildRequest } from '../../src/providers/vendors/requests/build-request.ts';
import { toolOf } from '../support/turns.ts';

interface Body {
  system: object[];
  tools: object[];
  thinking: unknown;
  messages: { role: string; content: Record<string, string>[] }[];
  input: object[];
  contents: { parts: object[] }[];
}

function bodyOf(
  provider: 'anthropic' | 'openai' | 'google' | 'openrouter',
  model: string,
  messages: Message[],
  more: Partial<ProviderRequest> & { hasTools?: boolean } = {},
): Body {
  const request: ProviderRequest = {
    ownerId: 'user',
    streamId: 'loop',
    model,
    prompt: '',
    conversation: { messages, tools: more.hasTools === false ? [] : [toolOf('read_file')] },
    signal: new AbortController().signal,
    ...more,
  };
  return buildRequest({ provider, custom: false }, request, 8000).body as Body;
}

const called = (id: string, more: object = {}): Message => ({
  role: 'assistant',
  toolCalls: [{ id, name: 'read_file', arguments: { path: 'a' } }],
  ...more,
});
const answered = (callId: string, text = 'A'): Message => ({ role: 'tool', callId, text });
const user = (text: string): Message => ({ role: 'user', text });
const system: Message = { role: 'system', text: 'Be brief.' };

const marks = (body: object) => JSON.stringify(body).split('cache_control').length - 1;

describe('a conversation for Anthropic', () => {
  it('has at most four marks: for the instructions and for the ends of two turns', () => {
    const turns = Array.from({ length: 6 }, (_, n) => [called(`c${n}`), answered(`c${n}`)]).flat();
    const body = bodyOf('anthropic', 'claude-opus-4-8', [system, user('Go'), ...turns]);
    expect(marks(body)).toBe(3);
    expect(body.system).toEqual([
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
    ]);
    const said = body.messages;
    const isMarked = said.map((one) => marks(one) > 0);
    expect(isMarked.slice(-3)).toEqual([true, false, true]);
    expect(isMarked.slice(0, -3)).not.toContain(true);
  });

  it('marks the tools where there are no instructions', () => {
    const body = bodyOf('anthropic', 'claude-opus-4-8', [user('Go')]);
    expect(marks(body.tools)).toBe(1);
    expect(marks(body)).toBe(2);
  });

  it('says that a call failed, and leaves out an empty result', () => {
    const failed: Message = { role: 'tool', callId: 'c1', text: 'no file', isError: true };
    const body = bodyOf('anthropic', 'claude-opus-4-8', [
      user('Go'),
      called('c0'),
      answered('c0', ''),
      called('c1'),
      failed,
    ]);
    const said = body.messages;
    expect(said[2]!.content[0]).not.toHaveProperty('content');
    expect(said[4]!.content[0]).toMatchObject({ content: 'no file', is_error: true });
  });

  it('does not think with a budget after a call that no thought of its own precedes', () => {
    const thinkingOf = (messages: Message[]) =>
      bodyOf('anthropic', 'claude-sonnet-4-5', messages, { reasoning: 'high' }).thinking;
    const opaque: OpaqueAnswer = {
      provider: 'anthropic',
      model: 'claude-sonnet-4-5-20250929',
      format: 'anthropic',
      blocks: [
        { type: 'thinking', thinking: 'Hm.', signature: 's' },
        { type: 'tool_use', id: 'c0', name: 'read_file', input: { path: 'a' } },
      ],
    };
    expect(thinkingOf([user('Go')])).toMatchObject({ type: 'enabled' });
    expect(thinkingOf([user('Go'), called('c0', { opaque }), answered('c0')])).toMatchObject({
      type: 'enabled',
    });
    expect(thinkingOf([user('Go'), called('c0'), answered('c0')])).toBeUndefined();
    const over: Message[] = [user('Go'), called('c0'), answered('c0')];
    const done: Message = { role: 'assistant', text: 'Done' };
    expect(thinkingOf([...over, done, user('More')])).toMatchObject({ type: 'enabled' });
  });
});

describe('ids and names of another provider', () => {
  it('become such as every vendor takes, the same in call and answer', () => {
    const messages = [
      user('Go'),
      called('functions.read:0'),
      answered('functions.read:0', 'first'),
      called('functions.read:0'),
      answered('functions.read:0', 'second'),
      { ...called('ok'), toolCalls: [{ id: 'ok', name: 'a b/c', arguments: {} }] } as Message,
      answered('ok'),
    ];
    const body = bodyOf('anthropic', 'claude-opus-4-8', messages);
    const blocks = body.messages.flatMap(({ content }) => content);
    const ids = blocks.flatMap(({ id }) => id ?? []);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,64}$/);
    expect(blocks.flatMap(({ tool_use_id: id }) => id ?? [])).toEqual(ids);
    expect(blocks.at(-2)).toMatchObject({ id: 'ok', name: 'a_b_c' });
  });
});

describe('a conversation for Google', () => {
  it('has a signature of its own for calls of other models, where the model asks for one', () => {
    const messages = [user('Go'), called('c0'), answered('c0')];
    const partOf = (model: string) => bodyOf('google', model, messages).contents[1]!.parts[0]!;
    expect(partOf('gemini-3-pro-preview')).toHaveProperty('thoughtSignature');
    expect(partOf('gemini-2.5-flash')).not.toHaveProperty('thoughtSignature');
  });

  it('has the instructions in the first message where the model knows no other place', () => {
    const body = bodyOf('google', 'gemma-3-27b-it', [system, user('Go')], { hasTools: false });
    expect(body.contents).toEqual([
      { role: 'user', parts: [{ text: 'Be brief.\n\n' }, { text: 'Go' }] },
    ]);
    expect(body).not.toHaveProperty('systemInstruction');
    expect(body).not.toHaveProperty('tools');
  });
});

describe('a call that failed', () => {
  it('says so in its text where there is no field for it', () => {
    const failed = (text: string): Message => ({ role: 'tool', callId: 'c0', text, isError: true });
    const textOf = (text: string) =>
      JSON.stringify(bodyOf('openai', 'gpt-5.2', [user('Go'), called('c0'), failed(text)]));
    expect(textOf('no file')).toContain('"Error: no file"');
    expect(textOf('Error: no file')).toContain('"Error: no file"');
  });
});

describe('what a caller says a provider wrote', () => {
  const opaqueOf = (blocks: unknown[]): OpaqueAnswer => ({
    provider: 'openai',
    model: 'gpt-5.2',
    format: 'responses',
    blocks,
  });
  const inputOf = (blocks: unknown[]) =>
    JSON.stringify(
      bodyOf('openai', 'gpt-5.2', [
        user('Go'),
        { role: 'assistant', text: 'Said.', opaque: opaqueOf(blocks) },
        user('More'),
      ]).input,
    );
  const said = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Own.' }],
  };

  it('is sent as it is', () => {
    expect(inputOf([said])).toContain(JSON.stringify(said));
  });

  it.each([
    ['the name of a stored item', { type: 'item_reference', id: 'rs_1' }],
    ['a thought without its content', { type: 'reasoning', id: 'rs_1', summary: [] }],
    ['a tool of the vendor', { type: 'web_search_call', id: 'ws_1', status: 'completed' }],
    ['a message of another side', { ...said, role: 'developer' }],
    ['an image', { ...said, content: [{ type: 'input_image', file_id: 'file_1' }] }],
    [
      'a call that its message does not have',
      { type: 'function_call', call_id: 'x', name: 'y', arguments: '{}' },
    ],
    ['nothing', null],
  ])('is not sent with %s in it', (_, block) => {
    const input = inputOf([said, block]);
    expect(input).not.toContain('Own.');
    expect(input).not.toMatch(/rs_1|ws_1|file_1|"x"/);
    expect(input).toContain('Said.');
  });
});
