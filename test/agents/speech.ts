// What a model says in one turn, as each vendor writes it on the wire, with the usage that the vendor reports.
import type { Protocol } from '../../src/providers/wire/protocol.ts';

export interface Turn {
  text: string;
  call?: { name: string; args: object };
}

export interface Used {
  /** All of it, what came from the cache included. */
  input: number;
  cached: number;
  output: number;
}

export interface Spoken {
  id: string;
  model: string;
  turn: Turn;
  used: Used;
}

const event = (name: string | undefined, data: unknown) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** Anthropic counts what was in the cache apart. */
const anthropicInput = ({ input, cached }: Used) => ({
  input_tokens: input - cached,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: 0,
});

function anthropic({ id, model, turn, used }: Spoken): string[] {
  const send = (type: string, fields: object) => event(type, { type, ...fields });
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, content: [] };
  const blocks: [block: object, delta: object][] = [
    [
      { type: 'text', text: '' },
      { type: 'text_delta', text: turn.text },
    ],
  ];
  if (turn.call !== undefined) {
    const { name, args } = turn.call;
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(args) };
    blocks.push([{ type: 'tool_use', id: `toolu_${id}`, name, input: {} }, delta]);
  }
  return [
    send('message_start', {
      message: {
        ...message,
        stop_reason: null,
        stop_sequence: null,
        usage: { ...anthropicInput(used), output_tokens: 1 },
      },
    }),
    ...blocks.flatMap(([block, delta], index) => [
      send('content_block_start', { index, content_block: block }),
      send('content_block_delta', { index, delta }),
      send('content_block_stop', { index }),
    ]),
    send('message_delta', {
      delta: {
        stop_reason: turn.call === undefined ? 'end_turn' : 'tool_use',
        stop_sequence: null,
      },
      usage: { ...anthropicInput(used), output_tokens: used.output },
    }),
    send('message_stop', {}),
  ];
}

function responses({ id, model, turn, used }: Spoken): string[] {
  let sequence = 0;
  const send = (type: string, fields: object) =>
    event(type, { type, sequence_number: sequence++, ...fields });
  const response = { id: `resp_${id}`, object: 'response', created_at: 1_790_000_000, model };
  const part = { type: 'output_text', text: turn.text, annotations: [] };
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed' };
  const output: object[] = [{ ...message, content: [part] }];
  const pieces = [
    send('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
    send('response.output_item.added', { output_index: 0, item: { ...message, content: [] } }),
    send('response.content_part.added', {
      item_id: message.id,
      output_index: 0,
      content_index: 0,
      part: { ...part, text: '' },
    }),
    send('response.output_text.delta', {
      item_id: message.id,
      output_index: 0,
      content_index: 0,
      delta: turn.text,
    }),
    send('response.output_item.done', { output_index: 0, item: output[0] }),
  ];
  if (turn.call !== undefined) {
    const item = {
      id: `fc_${id}`,
      type: 'function_call',
      status: 'completed',
      call_id: `call_${id}`,
      name: turn.call.name,
      arguments: JSON.stringify(turn.call.args),
    };
    output.push(item);
    const place = { item_id: item.id, output_index: 1 };
    pieces.push(
      send('response.output_item.added', { output_index: 1, item: { ...item, arguments: '' } }),
      send('response.function_call_arguments.delta', { ...place, delta: item.arguments }),
      send('response.output_item.done', { output_index: 1, item }),
    );
  }
  const usage = {
    input_tokens: used.input,
    input_tokens_details: { cached_tokens: used.cached },
    output_tokens: used.output,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: used.input + used.output,
  };
  const whole = { ...response, status: 'completed', output, usage };
  return [...pieces, send('response.completed', { response: whole })];
}

function googleAnswer({ id, model, turn, used }: Spoken, isWhole: boolean): object[] {
  const say = (parts: object[], more: object = {}) => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
    modelVersion: model,
    responseId: id,
    // Reported with every piece, as far as it has come: thoughts count apart.
    usageMetadata: {
      promptTokenCount: used.input,
      cachedContentTokenCount: used.cached,
      thoughtsTokenCount: 3,
      ...('finishReason' in more && { candidatesTokenCount: used.output - 3 }),
    },
  });
  const text = { text: turn.text };
  const call = turn.call && { functionCall: { name: turn.call.name, args: turn.call.args } };
  const end = { finishReason: 'STOP' };
  if (isWhole) return [say([text, ...(call ? [call] : [])], end)];
  return [say([text]), say(call ? [call] : [{ text: '' }], end)];
}

const google = (spoken: Spoken) =>
  googleAnswer(spoken, false).map((each) => event(undefined, each));

/** One event each. */
export function speak(protocol: Protocol, spoken: Spoken): string[] {
  switch (protocol) {
    case 'anthropic':
      return anthropic(spoken);
    case 'responses':
      return responses(spoken);
    case 'google':
      return google(spoken);
    case 'chat':
      throw new Error('no agent here speaks it');
  }
}

/** An answer that is not streamed. */
export function speakWhole(protocol: Protocol, spoken: Spoken): string {
  if (protocol === 'google') return JSON.stringify(googleAnswer(spoken, true)[0]);
  if (protocol !== 'anthropic') throw new Error(`${protocol}: asked for no stream`);
  const { id, model, turn, used } = spoken;
  const call = turn.call && {
    type: 'tool_use',
    id: `toolu_${id}`,
    name: turn.call.name,
    input: turn.call.args,
  };
  return JSON.stringify({
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: turn.text }, ...(call ? [call] : [])],
    stop_reason: call === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { ...anthropicInput(used), output_tokens: used.output },
  });
}
