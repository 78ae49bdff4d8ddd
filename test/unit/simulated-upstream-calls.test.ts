import { describe, expect, test } from 'vitest';
import { readScript } from '../../src/providers/simulator/script.ts';
import type { Protocol } from '../../src/providers/wire/protocol.ts';
import { runSimulator } from './simulator-run.ts';
import { ask, loose, PROTOCOLS, saying, textIn } from './upstream-run.ts';
import type { Json, Loose, Received } from './upstream-run.ts';

const schema = {
  type: 'object',
  properties: { path: { type: 'string' }, size: { type: 'integer' } },
  required: ['path', 'size'],
};
const NAMES = ['read_file', 'write_file'];

const TOOLS: Record<Protocol, unknown> = {
  anthropic: NAMES.map((name) => ({ name, input_schema: schema })),
  chat: NAMES.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
  responses: NAMES.map((name) => ({ type: 'function', name, parameters: schema })),
  google: [{ functionDeclarations: NAMES.map((name) => ({ name, parameters: schema })) }],
};

interface Call {
  id: string;
  name: string;
  arguments: unknown;
}

/** The calls of an answer, and the messages that it adds to the conversation. */
function callsIn(protocol: Protocol, { json, events }: Received): { calls: Call[]; said: Loose[] } {
  const data = events.flatMap(({ data }) => (data === '[DONE]' ? [] : [loose(JSON.parse(data))]));
  const call = (id: string, name: string, text: string) => ({
    id,
    name,
    arguments: JSON.parse(text),
  });
  if (protocol === 'anthropic') {
    const starts = data.filter((each) => each.content_block?.type === 'tool_use');
    const argumentsOf = (index: number) =>
      data
        .flatMap((each) => (each.index === index ? [each.delta?.partial_json ?? ''] : []))
        .join('');
    const content =
      data.length === 0
        ? loose(json).content
        : starts.map(({ index, content_block }) => ({
            ...content_block,
            input: JSON.parse(argumentsOf(index)),
          }));
    return {
      calls: content.map((each: Loose) => call(each.id, each.name, JSON.stringify(each.input))),
      said: [{ role: 'assistant', content }],
    };
  }
  if (protocol === 'chat') {
    const whole = loose(json).choices?.[0].message.tool_calls;
    const calls: Loose[] = whole ?? [];
    for (const { choices } of data) {
      for (const { index, id, function: part } of choices[0]?.delta.tool_calls ?? []) {
        if (id)
          calls[index] = { id, type: 'function', function: { name: part.name, arguments: '' } };
        calls[index].function.arguments += part.arguments;
      }
    }
    return {
      calls: calls.map(({ id, function: { name, arguments: given } }) => call(id, name, given)),
      said: [{ role: 'assistant', content: null, tool_calls: calls }],
    };
  }
  if (protocol === 'responses') {
    const { output } = data.at(-1)?.response ?? json;
    for (const item of output) {
      const deltas = data.filter(
        ({ type, item_id }) =>
          type === 'response.function_call_arguments.delta' && item_id === item.id,
      );
      if (data.length > 0) expect(deltas.map(({ delta }) => delta).join('')).toBe(item.arguments);
    }
    const items: Loose[] = output;
    return {
      calls: items.map((item) => call(item.call_id, item.name, item.arguments)),
      said: items,
    };
  }
  const parts = (data.length > 0 ? data : [loose(json)])
    .flatMap((each) => each.candidates[0].content.parts)
    .filter((part: Loose) => part.functionCall);
  return {
    calls: parts.map(({ functionCall: of }: Loose) =>
      call(of.id, of.name, JSON.stringify(of.args)),
    ),
    said: [{ role: 'model', parts }],
  };
}

function resultsFor(protocol: Protocol, calls: readonly Call[]): Loose[] {
  switch (protocol) {
    case 'anthropic':
      return [
        {
          role: 'user',
          content: [
            ...calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'done' })),
            // As agents add it.
            { type: 'text', text: '<system-reminder>Be careful.</system-reminder>' },
          ],
        },
      ];
    case 'chat':
      return calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'done' }));
    case 'responses':
      return calls.map(({ id }) => ({
        type: 'function_call_output',
        call_id: id,
        output: 'done',
      }));
    case 'google':
      return [
        {
          role: 'user',
          parts: calls.map(({ id, name }) => ({
            functionResponse: { id, name, response: { output: 'done' } },
          })),
        },
      ];
  }
}

const LISTS: Record<Protocol, string> = {
  anthropic: 'messages',
  chat: 'messages',
  responses: 'input',
  google: 'contents',
};

function conversation(protocol: Protocol, text: string): Json {
  const body = saying(protocol, text, { tools: TOOLS[protocol] });
  return protocol === 'responses' ? { ...body, input: [{ role: 'user', content: text }] } : body;
}

const PROMPT = `Do it.
[[sim:call read_file {"path":"a.md","lines":[[1,2]]}]]
[[sim:calls write_file {"path":"b [[ c ]]"} read_file]]
[[sim:no-artifact]]`;

describe.each(PROTOCOLS)('calls of tools in %s', (protocol) => {
  test.each([false, true])(
    'are made turn by turn, then it answers (streamed: %s)',
    async (isStream) => {
      let body = conversation(protocol, PROMPT);
      const made: Call[][] = [];
      let received = await ask({ protocol, body, isStream });
      for (let turn = 0; turn < 2; turn++) {
        const { calls, said } = callsIn(protocol, received);
        made.push(calls);
        const list = LISTS[protocol];
        const next = [...(body[list] as Loose[]), ...said, ...resultsFor(protocol, calls)];
        body = { ...body, [list]: next };
        received = await ask({ protocol, body, isStream });
        expect(received.text.slice(0, 300)).not.toContain('"error":{');
      }
      expect(made.map((calls) => calls.map(({ name, arguments: of }) => [name, of]))).toEqual([
        [['read_file', { path: 'a.md', lines: [[1, 2]] }]],
        [
          ['write_file', { path: 'b [[ c ]]' }],
          ['read_file', {}],
        ],
      ]);
      const ids = made.flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(3);
      expect(textIn(protocol, received)).toContain('simulated by sim-instant');
      // A new question starts a new exchange: what was called before does not count.
      const list = LISTS[protocol];
      const [question] = conversation(protocol, '[[sim:call write_file {}]]')[list] as Loose[];
      const again = { ...body, [list]: [...(body[list] as Loose[]), question] };
      const { calls } = callsIn(protocol, await ask({ protocol, body: again, isStream }));
      expect(calls.map(({ name }) => name)).toEqual(['write_file']);
    },
  );

  test('several calls of one turn are done together', async () => {
    const text = '[[sim:calls read_file {} read_file {}]] [[sim:call write_file {}]]';
    const body = conversation(protocol, text);
    const { calls, said } = callsIn(protocol, await ask({ protocol, body }));
    expect(calls).toHaveLength(2);
    const list = LISTS[protocol];
    const next = [...(body[list] as Loose[]), ...said, ...resultsFor(protocol, calls)];
    const received = await ask({ protocol, body: { ...body, [list]: next } });
    expect(callsIn(protocol, received).calls.map(({ name }) => name)).toEqual(['write_file']);
  });

  test('a tool that is not offered is named, with those that are', async () => {
    const body = conversation(protocol, '[[sim:call Bash {}]]');
    const { status, json } = await ask({ protocol, body });
    expect(status).toBe(400);
    expect(loose(json).error.message).toContain(
      '[[sim:call Bash]] needs a tool of that name; the request offers read_file, write_file.',
    );
    const bare = await ask({ protocol, body: saying(protocol, '[[sim:call Bash {}]]') });
    expect(loose(bare.json).error.message).toContain('the request offers no tools.');
  });

  test('a call that the request demands has arguments from the schema', async () => {
    const choice: Record<Protocol, Json> = {
      anthropic: { tool_choice: { type: 'tool', name: 'write_file' } },
      chat: { tool_choice: { type: 'function', function: { name: 'write_file' } } },
      responses: { tool_choice: { type: 'function', name: 'write_file' } },
      google: {
        toolConfig: {
          functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['write_file'] },
        },
      },
    };
    const body = { ...conversation(protocol, 'Hello.'), ...choice[protocol] };
    const { calls } = callsIn(protocol, await ask({ protocol, body }));
    expect(calls).toMatchObject([
      { name: 'write_file', arguments: { path: 'simulated', size: 1 } },
    ]);
    const finish = {
      anthropic: '"stop_reason":"tool_use"',
      chat: '"finish_reason":"tool_calls"',
      responses: '"status":"completed"',
      google: '"finishReason":"STOP"',
    };
    expect((await ask({ protocol, body, isStream: true })).text).toContain(finish[protocol]);
  });

  test('results without their calls and calls without results are refused', async () => {
    // Google has no ids that could be compared.
    if (protocol === 'google') return;
    const body = conversation(protocol, PROMPT);
    const first = await ask({ protocol, body });
    const { calls, said } = callsIn(protocol, first);
    const list = LISTS[protocol];
    const messages = body[list] as Loose[];
    const orphan = [...messages, ...resultsFor(protocol, calls)];
    expect((await ask({ protocol, body: { ...body, [list]: orphan } })).status).toBe(400);
    const open = [...messages, ...said, ...messages];
    expect((await ask({ protocol, body: { ...body, [list]: open } })).status).toBe(400);
  });

  test('a limit within the arguments cuts them and says so', async () => {
    const limit: Record<Protocol, Json> = {
      anthropic: { max_tokens: 2 },
      chat: { max_tokens: 2 },
      responses: { max_output_tokens: 2 },
      google: { generationConfig: { maxOutputTokens: 2 } },
    };
    const body = { ...conversation(protocol, PROMPT), ...limit[protocol] };
    for (const isStream of [false, true]) {
      const { status, text } = await ask({ protocol, body, isStream });
      expect(status).toBe(200);
      expect(text).toMatch(/max_tokens|"length"|max_output_tokens|MAX_TOKENS/);
    }
  });
});

test('tools without a schema get a text', async () => {
  const tools = [{ type: 'custom', name: 'apply_patch' }];
  const body = { input: '[[sim:call apply_patch {"input":"*** Begin\\n"}]]', tools };
  const { events } = await ask({ protocol: 'responses', body, isStream: true });
  const data = events.map(({ data }) => loose(JSON.parse(data)));
  expect(data.find(({ type }) => type === 'response.custom_tool_call_input.done').input).toBe(
    '*** Begin\n',
  );
  expect(data.at(-1).response.output[0]).toMatchObject({
    type: 'custom_tool_call',
    name: 'apply_patch',
    input: '*** Begin\n',
  });
  const chatTools = [{ type: 'custom', custom: { name: 'apply_patch' } }];
  const chat = await ask({
    protocol: 'chat',
    body: saying('chat', '[[sim:call apply_patch {"input":"x"}]]', { tools: chatTools }),
  });
  expect(loose(chat.json).choices[0].message.tool_calls[0]).toMatchObject({
    type: 'custom',
    custom: { name: 'apply_patch', input: 'x' },
  });
});

test('items of an earlier answer may be named by their ids', async () => {
  const body = conversation('responses', PROMPT);
  const first = loose((await ask({ protocol: 'responses', body })).json).output[0];
  const input = [
    ...(body['input'] as Json[]),
    { type: 'item_reference', id: first.id },
    { type: 'function_call_output', call_id: first.call_id, output: 'done' },
  ];
  const next = await ask({ protocol: 'responses', body: { ...body, input } });
  expect(callsIn('responses', next).calls.map(({ name }) => name)).toEqual([
    'write_file',
    'read_file',
  ]);
  const stored = await ask({
    protocol: 'responses',
    body: { ...body, previous_response_id: 'resp_1' },
  });
  expect(loose(stored.json).error).toMatchObject({ param: 'previous_response_id' });
});

describe('the directive', () => {
  test.each([
    ['[[sim:call]]', 'there is no directive|needs the name of a tool'],
    ['[[sim:call {"a":1}]]', 'needs the name of a tool'],
    ['[[sim:call a {"b":]]', 'needs arguments for a as a JSON object'],
    ['[[sim:call a [1] ]]', 'needs the name of a tool|needs arguments'],
    ['[[sim:call a {} b {}]]', 'takes one tool'],
    ['[[sim:calls ]]', 'needs the name of a tool'],
  ])('%s is refused', (prompt, part) => {
    expect(readScript(prompt).problem).toMatch(new RegExp(part));
  });

  test('ends behind its arguments, whatever they hold', () => {
    const text = String.raw`{"a":"]]\"]]","b":[[["[["]]]}`;
    const script = readScript(`x [[sim:call t ${text}]] [[sim:echo after]]`);
    expect(script).toMatchObject({
      calls: [[{ name: 't', arguments: JSON.parse(text) as object }]],
      reply: 'after',
    });
  });

  test('a long beginning without an end costs little', () => {
    const prompt = `${'[[sim:call a {"'.repeat(900)}${'x'.repeat(200_000)}`;
    expect(readScript(prompt).calls).toBeUndefined();
  });

  test('fails a job, which offers no tools', async () => {
    const { outcome } = await runSimulator({ prompt: '[[sim:call a {}]]' });
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'bad_request' } });
    expect(JSON.stringify(outcome)).toContain('the job offers no tools');
  });
});
