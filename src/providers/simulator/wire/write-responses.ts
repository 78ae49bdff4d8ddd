import { record } from './loose-json.ts';
import type { Part } from './speak.ts';
import { namedEvent, tierOf } from './writer.ts';
import type { ReplyEnd, ReplyHead, Writer } from './writer.ts';

/** Clients see again what they asked for, or what goes for it. */
const REPEATED = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  store: true,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
} as const;

export function writeResponses(head: ReplyHead): Writer {
  let sequence_number = 0;
  const event = (type: string, fields: object) =>
    namedEvent({ type, sequence_number: sequence_number++, ...fields });

  const response = (status: string, fields: object) => ({
    id: `resp_${head.id}`,
    object: 'response',
    created_at: head.created,
    status,
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    model: head.model,
    output: [] as object[],
    previous_response_id: null,
    ...Object.fromEntries(
      Object.entries(REPEATED).map(([field, usual]) => [field, head.asked[field] ?? usual]),
    ),
    service_tier: tierOf(head.asked, 'default'),
    usage: null,
    ...fields,
  });
  const idOf = ({ index, call }: Part) => {
    if (call === undefined) return `msg_${head.id}${index}`;
    return `${call.isFreeText ? 'ctc' : 'fc'}_${head.id}${call.index}`;
  };
  const contentOf = (text: string) => ({
    type: 'output_text',
    annotations: [],
    logprobs: [],
    text,
  });
  const item = (part: Part, status: string) => {
    const { call, text } = part;
    const of = { id: idOf(part), status };
    if (call === undefined) {
      const content = status === 'in_progress' ? [] : [contentOf(text)];
      return { ...of, type: 'message', role: 'assistant', content };
    }
    const named = { ...of, call_id: `call_${head.id}${call.index}`, name: call.name };
    const said = status === 'in_progress' ? '' : text;
    return call.isFreeText
      ? { ...named, type: 'custom_tool_call', input: said }
      : { ...named, type: 'function_call', arguments: said };
  };
  const place = (part: Part) => ({ item_id: idOf(part), output_index: part.index });
  const inText = (part: Part) => ({ ...place(part), content_index: 0 });

  /** The last part of an answer that was cut is not whole either. */
  const ended = (end: ReplyEnd, parts: readonly Part[]) => {
    const isCut = end.finish === 'length' || end.finish === 'content_filter';
    const reason = end.finish === 'length' ? 'max_output_tokens' : 'content_filter';
    const output = parts.map((part, at) =>
      item(part, isCut && at === parts.length - 1 ? 'incomplete' : 'completed'),
    );
    return response(isCut ? 'incomplete' : 'completed', {
      output,
      usage: usageOf(head, end.output),
      ...(isCut ? { incomplete_details: { reason } } : { completed_at: head.created }),
    });
  };

  return {
    open: () =>
      event('response.created', { response: response('in_progress', {}) }) +
      event('response.in_progress', { response: response('in_progress', {}) }),
    begin(part) {
      const added = event('response.output_item.added', {
        output_index: part.index,
        item: item(part, 'in_progress'),
      });
      if (part.call !== undefined) return added;
      return added + event('response.content_part.added', { ...inText(part), part: contentOf('') });
    },
    piece(part, delta) {
      if (part.call === undefined) {
        return event('response.output_text.delta', { ...inText(part), delta, logprobs: [] });
      }
      return event(`response.${argumentsOf(part)}.delta`, { ...place(part), delta });
    },
    end(part) {
      const { text, call } = part;
      const done = () =>
        event('response.output_item.done', {
          output_index: part.index,
          item: item(part, 'completed'),
        });
      if (call === undefined) {
        return (
          event('response.output_text.done', { ...inText(part), text, logprobs: [] }) +
          event('response.content_part.done', { ...inText(part), part: contentOf(text) }) +
          done()
        );
      }
      const said = call.isFreeText ? { input: text } : { arguments: text, name: call.name };
      return event(`response.${argumentsOf(part)}.done`, { ...place(part), ...said }) + done();
    },
    close(end, parts) {
      const last = ended(end, parts);
      return event(`response.${last.status}`, { response: last });
    },
    failure({ error }) {
      const { code, message, type } = record(error);
      const said = { code: code ?? type, message };
      return (
        event('error', { ...said, param: null }) +
        event('response.failed', { response: response('failed', { error: said }) })
      );
    },
    whole: ended,
  };
}

function argumentsOf({ call }: Part): string {
  return call?.isFreeText === true ? 'custom_tool_call_input' : 'function_call_arguments';
}

function usageOf({ input, cacheRead, cacheWrite }: ReplyHead, output: number): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
