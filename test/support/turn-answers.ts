// Answers with calls of tools as vendors stream them, from blocks in the vendor's own shape.

type Block = Record<string, unknown>;

const sse = (events: readonly object[], named = false): string =>
  events
    .map((event) => {
      const name = named ? `event: ${(event as { type: string }).type}\n` : '';
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join('');

/** Two pieces, as a text comes in several. */
const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

function anthropicDeltas({ type, text, thinking, signature, json }: Block): object[] {
  if (type === 'text')
    return halves(text as string).map((piece) => ({ type: 'text_delta', text: piece }));
  if (type === 'thinking') {
    const thoughts = halves(thinking as string).map((piece) => ({
      type: 'thinking_delta',
      thinking: piece,
    }));
    return signature === undefined
      ? thoughts
      : [...thoughts, { type: 'signature_delta', signature }];
  }
  if (type !== 'tool_use' || json === undefined) return [];
  return halves(json as string).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
}

function anthropicStart({ json, ...block }: Block): Block {
  if (json !== undefined) return { ...block, input: {} };
  if (block['type'] === 'text') return { ...block, text: '' };
  if (block['type'] === 'thinking') return { ...block, thinking: '', signature: '' };
  return block;
}

/** `json`: of a tool_use, what the model writes as its input. */
export function anthropicAnswer(blocks: readonly Block[], stop = 'tool_use'): string {
  const usage = { input_tokens: 10, output_tokens: 5 };
  return sse(
    [
      { type: 'message_start', message: { id: 'msg_1', model: 'claude', usage } },
      ...blocks.flatMap((block, index) => [
        { type: 'content_block_start', index, content_block: anthropicStart(block) },
        ...anthropicDeltas(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: stop }, usage },
      { type: 'message_stop' },
    ],
    true,
  );
}

export function chatAnswer(deltas: readonly object[], finish = 'tool_calls'): string {
  const events = [...deltas, {}].map((delta, at) => ({
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: at === deltas.length ? finish : null }],
  }));
  const usage = { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } };
  return `${sse([...events, usage])}data: [DONE]\n\n`;
}

export function responsesAnswer(items: readonly Block[], incomplete?: string): string {
  const end = {
    status: incomplete === undefined ? 'completed' : 'incomplete',
    ...(incomplete !== undefined && { incomplete_details: { reason: incomplete } }),
    store: false,
    output: items,
    usage: { input_tokens: 10, output_tokens: 5 },
  };
  return sse(
    [
      { type: 'response.created', response: { id: 'resp_1', store: false } },
      ...items.flatMap((item, output_index) => [
        {
          type: 'response.output_item.added',
          output_index,
          item: { ...item, ...(item['type'] === 'function_call' && { arguments: '' }) },
        },
        ...(item['type'] === 'message'
          ? [{ type: 'response.output_text.delta', output_index, delta: textOf(item) }]
          : []),
        ...(item['type'] === 'function_call'
          ? halves(item['arguments'] as string).map((delta) => ({
              type: 'response.function_call_arguments.delta',
              output_index,
              delta,
            }))
          : []),
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: `response.${end.status}`, response: end },
    ],
    true,
  );
}

const textOf = ({ content }: Block) =>
  (content as { text: string }[]).map(({ text }) => text).join('');

/** One event for each part, as Gemini sends calls. */
export function googleAnswer(parts: readonly Block[], finishReason = 'STOP'): string {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5 };
  return sse([
    ...parts.map((part) => ({ candidates: [{ content: { role: 'model', parts: [part] } }] })),
    { candidates: [{ content: { role: 'model', parts: [] }, finishReason }], usageMetadata },
  ]);
}
