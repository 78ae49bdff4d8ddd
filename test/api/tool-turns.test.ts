// Jobs that are turns of a conversation with tools, on simulated models.
import { describe, expect, it } from 'vitest';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { submitTurn, toolOf } from '../support/turns.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

const TOOLS = [toolOf('read_file'), toolOf('list_files', {})];
const ASKED = { role: 'user', text: 'Read a.md.' };
const call = (id: string, more: object = {}) => ({
  id,
  name: 'read_file',
  arguments: { path: 'a.md' },
  ...more,
});
const calling = (...toolCalls: object[]) => ({ role: 'assistant', toolCalls });
const answer = (callId: string, text = '# A') => ({ role: 'tool', callId, text });

describe('a job with tools', () => {
  it('ends with the calls of the model, and continues with their answers', async () => {
    verifies('job.turns.calls', 'job.turns.continue');
    const { key } = await server().createKey({ tier: 'enterprise' });
    const run = submitTurn(server, key);
    const prompt =
      '[[sim:call read_file {"path":"a.md"}]] [[sim:calls list_files read_file {"path":"b"}]] [[sim:echo Done.]] Go.';
    const first = await run({ prompt, tools: TOOLS });
    expect(first).toMatchObject({ status: 'completed', output: '', stopReason: 'stop' });
    expect(first.toolCalls).toEqual([
      { id: expect.any(String), name: 'read_file', arguments: { path: 'a.md' } },
    ]);
    expect(first.assistantMessage).toEqual({
      role: 'assistant',
      text: '',
      toolCalls: first.toolCalls,
    });
    const messages: unknown[] = [
      { role: 'system', text: 'Be brief.' },
      { role: 'user', text: prompt },
    ];
    messages.push(first.assistantMessage, answer(first.toolCalls![0]!.id));
    const second = await run({ messages, tools: TOOLS });
    expect(second.toolCalls).toMatchObject([
      { name: 'list_files', arguments: {} },
      { name: 'read_file', arguments: { path: 'b' } },
    ]);
    const ids = [...first.toolCalls!, ...second.toolCalls!].map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    messages.push(second.assistantMessage, ...second.toolCalls!.map(({ id }) => answer(id, '')));
    const third = await run({ messages, tools: TOOLS });
    expect(third).toMatchObject({ status: 'completed', output: 'Done.', toolCalls: [] });
    messages.push(third.assistantMessage, { role: 'user', text: '[[sim:echo Again.]]' });
    expect(await run({ messages, tools: TOOLS })).toMatchObject({ output: 'Again.' });
  });

  it('shows its messages and tools as they were submitted', async () => {
    const { key } = await server().createKey();
    const messages = [ASKED, calling(call('1')), answer('1', 'nul \0 and \ud800')];
    const jobId = await server().submit(key, { prompt: undefined, messages, tools: TOOLS });
    await server().finished(key, jobId);
    const { body } = await server().call('GET', `/api/v1/job/${jobId}/request`, { key });
    expect(body).toMatchObject({ prompt: ASKED.text, messages, tools: TOOLS });
  });

  it('lists no call that was cut off at the length', async () => {
    const { key } = await server().createKey();
    const prompt = `[[sim:calls read_file {"path":"a"} read_file {"path":"${'a long path to cut '.repeat(20)}"}]]`;
    const job = await submitTurn(server, key)({ prompt, tools: TOOLS, maxTokens: 12 });
    expect(job).toMatchObject({ status: 'completed', stopReason: 'length' });
    expect(job.toolCalls).toMatchObject([{ name: 'read_file', arguments: { path: 'a' } }]);
  });

  it('fails where a script calls what is not offered, and says so', async () => {
    const { key } = await server().createKey();
    const run = submitTurn(server, key);
    const failed = await run({ prompt: '[[sim:call fly {}]]', tools: TOOLS });
    expect(failed).toMatchObject({ status: 'failed', errorCode: 'PROVIDER_BAD_REQUEST' });
    expect(failed.error).toContain('read_file, list_files');
    const plain = await run({ prompt: '[[sim:call fly {}]]' });
    expect(plain.error).toBe(
      'Simulated failure: the job offers no tools to call; submit it with tools',
    );
  });

  it('is another job under the same Idempotency-Key when only a result differs', async () => {
    const { key } = await server().createKey();
    const send = (text: string) =>
      server().call('POST', '/api/v1/execute', {
        key,
        headers: { 'idempotency-key': 'turn' },
        body: {
          streamId: 'loop',
          model: 'sim-instant',
          maxTokens: 10,
          messages: [ASKED, calling(call('1')), answer('1', text)],
          tools: TOOLS,
        },
      });
    const first = await send('a');
    expect((await send('a')).body).toEqual(first.body);
    expectError(await send('b'), 'IDEMPOTENCY_KEY_REUSED');
  });
});

it('a job without messages and tools has nothing of them in its full view', async () => {
  const { key } = await server().createKey();
  const job = await server().finished(key, await server().submit(key));
  expect(job).toMatchObject({ status: 'completed' });
  expect(Object.keys(job)).not.toContain('toolCalls');
  expect(Object.keys(job)).not.toContain('assistantMessage');
});

const REFUSED: Record<string, [path: string, message: RegExp, body: object]> = {
  'no messages': ['messages', /must not be empty/, { messages: [] }],
  'an unknown role': [
    'messages.0.role',
    /must be system, user/,
    { messages: [{ role: 'me', text: 'x' }] },
  ],
  'a user message without text': [
    'messages.0.text',
    /must not be empty/,
    { messages: [{ role: 'user', text: '' }] },
  ],
  'a system message later on': [
    'messages.1.role',
    /first message only/,
    { messages: [ASKED, { role: 'system', text: 'x' }, ASKED] },
  ],
  'an answer first': [
    'messages',
    /begin with a user message/,
    { messages: [{ role: 'assistant', text: 'x' }, ASKED] },
  ],
  'an answer last': [
    'messages',
    /end with a user or tool message/,
    { messages: [ASKED, { role: 'assistant', text: 'x' }] },
  ],
  'instructions alone': [
    'messages',
    /begin with a user message/,
    { messages: [{ role: 'system', text: 'x' }] },
  ],
  'a result of no call': [
    'messages.1.callId',
    /id of a call of the assistant message before it/,
    { messages: [ASKED, answer('1')], tools: TOOLS },
  ],
  'a result of an older call': [
    'messages.5.callId',
    /id of a call of the assistant message before it/,
    {
      messages: [
        ASKED,
        calling(call('1')),
        answer('1'),
        calling(call('2')),
        answer('2'),
        answer('1'),
      ],
      tools: TOOLS,
    },
  ],
  'two results of one call': [
    'messages.3.callId',
    /answered already/,
    { messages: [ASKED, calling(call('1')), answer('1'), answer('1')], tools: TOOLS },
  ],
  'a call without its result before the user speaks': [
    'messages.2',
    /messages\.1 calls "1" without an answer/,
    { messages: [ASKED, calling(call('1')), ASKED], tools: TOOLS },
  ],
  'a call without its result at the end': [
    'messages',
    /messages\.1 calls "2" without an answer/,
    { messages: [ASKED, calling(call('1'), call('2')), answer('1')], tools: TOOLS },
  ],
  'two calls with one id': [
    'messages.1.toolCalls.1.id',
    /another call/,
    { messages: [ASKED, calling(call('1'), call('1')), answer('1')], tools: TOOLS },
  ],
  'arguments that are a text': [
    'messages.1.toolCalls.0.arguments',
    /must be an object/,
    { messages: [ASKED, calling(call('1', { arguments: '{}' })), answer('1')], tools: TOOLS },
  ],
  'no arguments and no text of them': [
    'messages.1.toolCalls.0.argumentsText',
    /required if arguments is null/,
    { messages: [ASKED, calling(call('1', { arguments: null })), answer('1')], tools: TOOLS },
  ],
  'calls without tools': [
    'tools',
    /is required/,
    { messages: [ASKED, calling(call('1')), answer('1')] },
  ],
  'no tools': ['tools', /must not be empty/, { prompt: 'x', tools: [] }],
  'too many tools': [
    'tools',
    /at most 64/,
    { prompt: 'x', tools: Array.from({ length: 65 }, (_, n) => toolOf(`t${n}`)) },
  ],
  'two tools of one name': [
    'tools.1.name',
    /another tool/,
    { prompt: 'x', tools: [toolOf('a'), toolOf('a')] },
  ],
  'a tool with a space in its name': [
    'tools.0.name',
    /1 to 64 letters/,
    { prompt: 'x', tools: [toolOf('a b')] },
  ],
  'parameters that are no object': [
    'tools.0.parameters',
    /schema of an object/i,
    { prompt: 'x', tools: [{ ...toolOf('a'), parameters: { type: 'string' } }] },
  ],
  'parameters that are nested too deeply': [
    'tools.0.parameters',
    /nested deeper than 64/,
    {
      prompt: 'x',
      tools: [
        { ...toolOf('a'), parameters: JSON.parse(`${'{"a":'.repeat(80)}1${'}'.repeat(80)}`) },
      ],
    },
  ],
  'another prompt': [
    'prompt',
    /text of the last user message/,
    { prompt: 'Something else', messages: [ASKED] },
  ],
  'structuredPrompt with messages': [
    'structuredPrompt',
    /system message/,
    { messages: [ASKED], structuredPrompt: { taskContent: ASKED.text } },
  ],
  'structuredPrompt with tools': [
    'structuredPrompt',
    /system message/,
    { prompt: 'x', tools: TOOLS, structuredPrompt: { taskContent: 'x' } },
  ],
  'more than 4 MiB in all': [
    'messages',
    /at most 4 MiB/,
    {
      messages: [
        { role: 'user', text: 'ä'.repeat(1024 * 1024) },
        { role: 'assistant', text: 'ä'.repeat(1024 * 1024) },
        ASKED,
      ],
    },
  ],
};

describe('messages and tools', () => {
  it.each(Object.entries(REFUSED))('are refused with %s', async (_, [path, message, body]) => {
    verifies('job.turns.order');
    const { key } = await server().createKey();
    const job = { streamId: 'a', model: 'sim-instant', maxTokens: 10, ...body };
    const refused = await server().call('POST', '/api/v1/execute', { key, body: job });
    expectInvalid(refused, path);
    const { details } = expectError(refused, 'VALIDATION_ERROR') as unknown as {
      details: { path: string; message: string }[];
    };
    expect(details.find((one) => one.path === path)?.message).toMatch(message);
  });

  it('are taken with the prompt repeated, alone, and with what a model wrote wrongly', async () => {
    const { key } = await server().createKey({ tier: 'enterprise' });
    const run = submitTurn(server, key);
    const wrong = call('1', { name: '', arguments: null, argumentsText: '{"path":' });
    for (const body of [
      { prompt: ASKED.text, messages: [ASKED] },
      { messages: [ASKED] },
      { messages: [ASKED, { role: 'assistant', text: '' }, ASKED] },
      { messages: [ASKED, ASKED] },
      { messages: [ASKED, calling(wrong), answer('1')], tools: TOOLS },
      { messages: [ASKED, calling(call('1')), answer('1'), ASKED], tools: TOOLS },
    ]) {
      expect(await run(body)).toMatchObject({ status: 'completed' });
    }
  });
});
