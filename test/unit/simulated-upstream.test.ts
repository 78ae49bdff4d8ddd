import { describe, expect, test } from 'vitest';
import type { Protocol } from '../../src/providers/wire/protocol.ts';
import { fakeClock } from './simulator-run.ts';
import { ask, loose, newUpstream, PROTOCOLS, requestOf, saying, textIn } from './upstream-run.ts';
import type { Json, Loose } from './upstream-run.ts';

const HELLO = 'Say it. [[sim:echo große Räder 🌊 and more]]';
const SAID = 'große Räder 🌊 and more';
const withUsage: Json = { stream_options: { include_usage: true } };

describe.each(PROTOCOLS)('an answer in %s', (protocol) => {
  test('is the same text whole and streamed', async () => {
    const body = saying(protocol, HELLO, protocol === 'chat' ? withUsage : {});
    const whole = await ask({ protocol, body });
    const streamed = await ask({ protocol, body, isStream: true });
    expect(whole.status).toBe(200);
    expect(whole.headers.get('content-length')).toBe(String(Buffer.byteLength(whole.text)));
    expect(textIn(protocol, whole)).toBe(SAID);
    expect(streamed.headers.get('content-type')).toContain('text/event-stream');
    expect(textIn(protocol, streamed)).toBe(SAID);
  });

  test('is prose that says where it comes from, without an artifact', async () => {
    const received = await ask({ protocol, body: saying(protocol, 'Hello.') });
    const text = textIn(protocol, received);
    expect(text).toContain('This answer is simulated by sim-instant; no model was called.');
    expect(text).not.toContain('millrace-artifact');
    const again = await ask({ protocol, body: saying(protocol, 'Hello.') });
    expect(textIn(protocol, again)).toBe(text);
    const edits = await ask({ protocol, body: saying(protocol, '[[sim:edits]]') });
    expect(textIn(protocol, edits)).toContain('millrace-edits');
  });

  test('stops at the limit and says so', async () => {
    const limits: Record<Protocol, Json> = {
      anthropic: { max_tokens: 5 },
      chat: { max_completion_tokens: 5 },
      responses: { max_output_tokens: 5 },
      google: { generationConfig: { maxOutputTokens: 5 } },
    };
    const body = saying(protocol, '[[sim:tokens 50]]', limits[protocol]);
    for (const isStream of [false, true]) {
      const received = await ask({ protocol, body, isStream });
      expect(textIn(protocol, received)).toBe('This answer is simulated by');
      expect(received.text).toContain(
        {
          anthropic: 'max_tokens',
          chat: 'length',
          responses: 'max_output_tokens',
          google: 'MAX_TOKENS',
        }[protocol],
      );
    }
  });

  test('counts images, and refuses a body without anything said', async () => {
    const picture: Record<Protocol, Json> = {
      anthropic: {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'AA==' },
      },
      chat: { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      responses: { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
      google: { inlineData: { mimeType: 'image/png', data: 'AA==' } },
    };
    const bodies: Record<Protocol, Json> = {
      anthropic: { max_tokens: 9, messages: [{ role: 'user', content: [picture.anthropic] }] },
      chat: { messages: [{ role: 'user', content: [picture.chat] }] },
      responses: { input: [{ role: 'user', content: [picture.responses] }] },
      google: { contents: [{ role: 'user', parts: [picture.google] }] },
    };
    const seen = await ask({ protocol, body: bodies[protocol] });
    expect(seen.status).toBe(200);
    expect(seen.text).toMatch(/(?:input_tokens|prompt_tokens|promptTokenCount)":70\d/);
    const empty = await ask({ protocol, body: { max_tokens: 9 } });
    expect(empty.status).toBe(400);
  });

  test('a directive that is misspelt is refused with all that there are', async () => {
    const received = await ask({ protocol, body: saying(protocol, '[[sim:ecco x]]') });
    expect(received.status).toBe(400);
    const { message } = loose(received.json).error;
    expect(message).toContain('there is no directive [[sim:ecco x]]; use one of auth');
  });

  test('[[sim:hang]] never answers, and an abort ends it', async () => {
    const controller = new AbortController();
    const body = saying(protocol, '[[sim:hang]]');
    const sent = newUpstream().send(
      requestOf({ protocol, body, isStream: true, signal: controller.signal }),
    );
    const settled = sent.then(
      () => 'answered',
      (error: Error) => error.name,
    );
    const later = new Promise((resolve) => setImmediate(resolve, 'waiting'));
    expect(await Promise.race([settled, later])).toBe('waiting');
    controller.abort();
    expect(await settled).toBe('AbortError');
  });

  test('an abort breaks a stream off', async () => {
    const controller = new AbortController();
    const body = saying(protocol, '[[sim:tokens 100000]]');
    const { signal } = controller;
    const answer = await newUpstream().send(
      requestOf({ protocol, body, model: 'sim-slow', isStream: true, signal }),
    );
    const reading = (async () => {
      for await (const _ of answer.body) controller.abort();
    })();
    await expect(reading).rejects.toThrow(/aborted/);
  });

  test('a reader that goes away stops the speaker', async () => {
    const clock = fakeClock();
    const body = saying(protocol, '[[sim:tokens 100000]]');
    const answer = await newUpstream(clock).send(
      requestOf({ protocol, body, model: 'sim-slow', isStream: true }),
    );
    for await (const _ of answer.body) break;
    const sleeps = clock.sleeps();
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.sleeps() - sleeps).toBeLessThan(3);
  });
});

describe('the events of a stream', () => {
  test('anthropic: in the order of the vendor, with a ping', async () => {
    const body = saying('anthropic', HELLO);
    const { events } = await ask({ protocol: 'anthropic', body, isStream: true });
    expect(events.map(({ name }) => name)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    const start = loose(JSON.parse(events[0]!.data)).message;
    expect(start).toMatchObject({ type: 'message', role: 'assistant', stop_reason: null });
    expect(start.id).toMatch(/^msg_\w+$/);
    const last = loose(JSON.parse(events[5]!.data));
    expect(last).toMatchObject({ delta: { stop_reason: 'end_turn', stop_sequence: null } });
    expect(last.usage).toMatchObject({ output_tokens: 5, cache_read_input_tokens: 0 });
    expect(last.usage.input_tokens).toBe(start.usage.input_tokens);
  });

  test('chat: usage is a chunk of its own, only where it is asked for', async () => {
    const plain = await ask({ protocol: 'chat', body: saying('chat', HELLO), isStream: true });
    expect(plain.text).not.toContain('usage');
    expect(plain.events.at(-1)!.data).toBe('[DONE]');
    const body = saying('chat', HELLO, withUsage);
    const { events } = await ask({ protocol: 'chat', body, isStream: true });
    const chunks = events.slice(0, -1).map(({ data }) => loose(JSON.parse(data)));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 5 } });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks.at(-2).choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
  });

  test('openrouter: usage and its cost come unasked, errors have a status', async () => {
    const from = { protocol: 'chat', provider: 'openrouter' } as const;
    const { events } = await ask({ ...from, body: saying('chat', HELLO), isStream: true });
    const last = loose(JSON.parse(events.at(-2)!.data));
    expect(last).toMatchObject({ provider: 'Simulator', usage: { completion_tokens: 5 } });
    expect(last.usage.cost).toBeGreaterThan(0);
    const refused = await ask({ ...from, body: saying('chat', '[[sim:billing]]') });
    expect(refused).toMatchObject({ status: 402, json: { error: { code: 402 } } });
    const cut = saying('chat', '[[sim:cut 5 rate_limit]]');
    const broken = await ask({ ...from, body: cut, isStream: true });
    expect(loose(JSON.parse(broken.events.at(-1)!.data))).toMatchObject({
      choices: [{ finish_reason: 'error' }],
      error: { code: 429 },
    });
    const list = await ask({ ...from, operation: 'models' });
    expect(loose(list.json).data[0]).toMatchObject({ id: 'sim-instant', pricing: {} });
  });

  test('responses: every event is numbered, and the last one repeats the whole', async () => {
    const body = saying('responses', HELLO, { instructions: 'Be short.' });
    const { events } = await ask({ protocol: 'responses', body, isStream: true });
    expect(events.map(({ name }) => name)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const data = events.map(({ data }) => loose(JSON.parse(data)));
    expect(data.map(({ sequence_number }) => sequence_number)).toEqual(data.map((_, at) => at));
    const { response } = data.at(-1);
    expect(response).toMatchObject({ status: 'completed', instructions: 'Be short.' });
    expect(response.output[0].content[0].text).toBe(SAID);
    expect(response.usage).toMatchObject({
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      input_tokens_details: { cached_tokens: 0 },
    });
  });

  test('google: events with alt=sse, otherwise one array; usage in each', async () => {
    const body = saying('google', HELLO);
    const path = '/models/sim-instant:streamGenerateContent';
    // To the caller this is no stream of events.
    const plain = await ask({ protocol: 'google', body, path });
    expect(plain.headers.get('content-type')).toContain('application/json');
    const elements = JSON.parse(plain.text) as Loose[];
    const sse = await ask({ protocol: 'google', body, isStream: true, path: `${path}?alt=sse` });
    const events = sse.events.map(({ data }) => loose(JSON.parse(data)));
    for (const all of [elements, events]) {
      expect(all.map((each) => each.candidates[0].content.parts[0].text).join('')).toBe(SAID);
      expect(all.every((each) => each.usageMetadata.promptTokenCount > 0)).toBe(true);
      expect(all.at(-1).candidates[0].finishReason).toBe('STOP');
    }
    const refused = await ask({
      protocol: 'google',
      body: saying('google', '[[sim:overloaded]]'),
      path,
    });
    expect(loose(refused.json)[0].error).toMatchObject({ code: 503, status: 'UNAVAILABLE' });
  });

  test('come at the speed of the model', async () => {
    const clock = fakeClock();
    const body = saying('anthropic', '[[sim:tokens 500]]');
    await ask({ protocol: 'anthropic', body, model: 'sim-slow', isStream: true, clock });
    expect(clock.now()).toBe(300 + 166 * 150);
  });
});

describe('stop sequences', () => {
  test.each([
    ['anthropic', { stop_sequences: ['🌊', 'and'] }, 'stop_sequence'],
    ['chat', { stop: 'äder' }, 'stop'],
    ['google', { generationConfig: { stopSequences: ['nope', ' and'] } }, 'STOP'],
  ] as [Protocol, Json, string][])(
    '%s ends before the first of them',
    async (protocol, more, reason) => {
      const received = await ask({ protocol, body: saying(protocol, HELLO, more), isStream: true });
      const expected = { anthropic: 'große Räder ', chat: 'große R', google: 'große Räder 🌊' };
      expect(textIn(protocol, received)).toBe(expected[protocol as keyof typeof expected]);
      expect(received.text).toContain(`"${reason}"`);
      if (protocol === 'anthropic') expect(received.text).toContain('"stop_sequence":"🌊"');
    },
  );

  test('a limit before the sequence wins', async () => {
    const body = saying('anthropic', '[[sim:tokens 50]]', {
      max_tokens: 5,
      stop_sequences: ['called'],
    });
    const received = await ask({ protocol: 'anthropic', body });
    expect(received.json).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 5 } });
  });
});

describe('structured answers', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      kind: { type: 'string', enum: ['a', 'b'] },
      tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
      size: { type: ['integer', 'null'], minimum: 3 },
      next: { $ref: '#/$defs/leaf' },
    },
    required: ['name', 'kind', 'tags', 'size', 'next'],
    $defs: {
      leaf: {
        anyOf: [{ type: 'null' }, { type: 'object', properties: { on: { type: 'boolean' } } }],
      },
    },
  };
  const value = {
    name: 'simulated',
    kind: 'a',
    tags: ['simulated', 'simulated'],
    size: 3,
    next: { on: true },
  };

  test.each([
    ['anthropic', { output_config: { format: { type: 'json_schema', schema } } }],
    ['chat', { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }],
    ['responses', { text: { format: { type: 'json_schema', name: 'x', schema } } }],
    [
      'google',
      { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } },
    ],
  ] as [Protocol, Json][])('%s gives a value of the schema', async (protocol, more) => {
    const received = await ask({ protocol, body: saying(protocol, 'Fill it in.', more) });
    expect(JSON.parse(textIn(protocol, received))).toEqual(value);
    const scripted = await ask({ protocol, body: saying(protocol, '[[sim:echo no]]', more) });
    expect(textIn(protocol, scripted)).toBe('no');
  });
});

describe('counts and lists', () => {
  test('what is counted beforehand is what the answer reports', async () => {
    for (const protocol of ['anthropic', 'google'] as const) {
      const body = saying(protocol, 'How long is this text, all in all?');
      const count = await ask({ protocol, body, operation: 'count' });
      const answer = await ask({ protocol, body });
      const [counted, used] = [count, answer].map(
        ({ json }) =>
          loose(json).input_tokens ??
          loose(json).totalTokens ??
          loose(json).usage?.input_tokens ??
          loose(json).usageMetadata?.promptTokenCount,
      );
      expect(counted).toBeGreaterThan(5);
      expect(used).toBe(counted);
    }
  });

  test('each vendor lists the models in its own shape', async () => {
    const lists = await Promise.all(
      PROTOCOLS.map((protocol) => ask({ protocol, operation: 'models' })),
    );
    const [anthropic, chat, , google] = lists.map(({ json }) => loose(json));
    expect(anthropic).toMatchObject({ has_more: false, first_id: 'sim-instant' });
    expect(anthropic.data[0]).toMatchObject({ type: 'model', id: 'sim-instant' });
    expect(chat).toMatchObject({ object: 'list' });
    expect(chat.data[0]).toMatchObject({ object: 'model', id: 'sim-instant' });
    expect(google.models[0]).toMatchObject({ name: 'models/sim-instant' });
  });
});

describe('the prompt cache', () => {
  const long = 'The project has many files. '.repeat(400);

  test('anthropic reads what the caller marked, and nothing else', async () => {
    const upstream = newUpstream();
    const used = async (more: Json, ownerId = 'one') => {
      const body = { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], ...more };
      return loose((await ask({ protocol: 'anthropic', body, upstream, ownerId })).json).usage;
    };
    const marked = { system: [{ type: 'text', text: long, cache_control: { type: 'ephemeral' } }] };
    const first = await used(marked);
    expect(first.cache_creation_input_tokens).toBeGreaterThan(1024);
    expect(first.cache_read_input_tokens).toBe(0);
    const again = await used(marked);
    expect(again).toMatchObject({
      cache_read_input_tokens: first.cache_creation_input_tokens,
      cache_creation_input_tokens: 0,
      input_tokens: first.input_tokens,
    });
    expect((await used(marked, 'two')).cache_read_input_tokens).toBe(0);
    expect((await used({ system: long })).cache_read_input_tokens).toBe(0);
  });

  test('openai and google find every earlier turn', async () => {
    for (const protocol of ['chat', 'responses', 'google'] as const) {
      const upstream = newUpstream();
      const body = saying(protocol, long);
      expect((await ask({ protocol, body, upstream })).text).not.toMatch(/cached\w+":[1-9]/i);
      expect((await ask({ protocol, body, upstream })).text).toMatch(/cached\w+":[1-9]/i);
    }
  });
});
