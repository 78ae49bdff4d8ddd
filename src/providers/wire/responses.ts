// OpenAI's responses: a list of items, each with its deltas, and the whole answer once more at the end.
import type { Finish, ToolCall, WireUsage } from './answer.ts';
import type { ProtocolReader } from './create-reader.ts';
import { readError, unreadable } from './error.ts';
import { countOf, fieldsOf, isCount, jsonOf, listOf, textOf, type Fields } from './fields.ts';
import type { Recorder } from './recorder.ts';
import { readTier } from './tier.ts';

/** Kinds of items that call a tool, the caller's or the vendor's, and where their arguments are. */
const ARGUMENTS: ReadonlyMap<unknown, string | undefined> = new Map([
  ['function_call', 'arguments'],
  ['custom_tool_call', 'input'],
  ['mcp_call', 'arguments'],
  ['code_interpreter_call', 'code'],
  ['web_search_call', 'action'],
  ['file_search_call', 'queries'],
  ['computer_call', 'action'],
  ['local_shell_call', 'action'],
  ['shell_call', 'action'],
  ['apply_patch_call', 'operation'],
  ['image_generation_call', undefined],
]);
/** Calls that the client has to answer. */
const OF_CLIENT = new Set<unknown>([
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
]);

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ['max_output_tokens', 'length'],
  ['content_filter', 'content_filter'],
]);

function usageOf(usage: Fields | undefined): WireUsage | undefined {
  const { input_tokens: input, output_tokens: output } = usage ?? {};
  if (!isCount(input) || !isCount(output)) return undefined;
  const inputs = fieldsOf(usage?.['input_tokens_details']);
  const cacheRead = Math.min(input, countOf(inputs?.['cached_tokens']));
  const reasoning = fieldsOf(usage?.['output_tokens_details'])?.['reasoning_tokens'];
  return {
    input,
    output,
    cacheRead,
    cacheWrite: Math.min(input - cacheRead, countOf(inputs?.['cache_write_tokens'])),
    ...(isCount(reasoning) && { reasoning }),
  };
}

export function readResponses(recorder: Recorder): ProtocolReader {
  const { answer } = recorder;
  const open = new Map<unknown, ToolCall>();
  let hasClientCall = false;
  let hasRefused = false;

  function begin(response: Fields | undefined): void {
    recorder.model(response?.['model']);
    if (response?.['store'] !== false) answer.storedId ??= textOf(response?.['id']);
  }

  function argumentsOf(item: Fields): string {
    const value = item[ARGUMENTS.get(item['type']) ?? ''];
    if (typeof value === 'string') return value;
    const text = value == null ? '' : jsonOf(value);
    if (text === undefined) recorder.fail(unreadable('the arguments of a call are too deep'));
    return text ?? '';
  }

  function startItem(index: unknown, item: Fields): void {
    answer.began = true;
    if (!ARGUMENTS.has(item['type'])) return;
    hasClientCall ||= OF_CLIENT.has(item['type']);
    const own = textOf(item['call_id']) ?? textOf(item['id']);
    const call: ToolCall = {
      id: own ?? `call_${answer.toolCalls.length}`,
      name: textOf(item['name']) ?? String(item['type']),
      arguments: '',
      ...(own === undefined && { isCounted: true }),
    };
    // What an item begins with comes once more as its first deltas.
    open.set(index, recorder.startCall(call));
  }

  function endItem(index: unknown, item: Fields): void {
    if (ARGUMENTS.has(item['type']) && !open.has(index)) startItem(index, item);
    const call = open.get(index);
    if (call === undefined) return;
    open.delete(index);
    const whole = argumentsOf(item);
    if (whole.startsWith(call.arguments)) {
      recorder.addToCall(call, whole.slice(call.arguments.length));
    }
  }

  function add(delta: unknown, take: (piece: string) => void): void {
    if (typeof delta === 'string') take(delta);
    else recorder.fail(unreadable('a piece of the answer has no text'));
  }

  /** An answer that came whole, or whose server streams nothing but its end. */
  function takeOutput(output: unknown): void {
    for (const [index, each] of listOf(output).entries()) {
      const item = fieldsOf(each) ?? {};
      if (item['type'] === 'message') {
        for (const part of listOf(item['content'])) takePart(fieldsOf(part) ?? {}, recorder.text);
      } else if (item['type'] === 'reasoning') {
        const parts = [...listOf(item['summary']), ...listOf(item['content'])];
        for (const part of parts) takePart(fieldsOf(part) ?? {}, recorder.thought);
      } else endItem(index, item);
    }
  }

  function takePart(part: Fields, take: (piece: string) => void): void {
    const refusal = textOf(part['refusal']);
    hasRefused ||= refusal !== undefined;
    take(refusal ?? textOf(part['text']) ?? '');
  }

  function end(response: Fields): void {
    begin(response);
    if (answer.blocks.length === 0) {
      for (const item of listOf(response['output'])) recorder.block(fieldsOf(item) ?? {});
    }
    if (answer.text === '' && answer.thought === '' && answer.toolCalls.length === 0) {
      takeOutput(response['output']);
    }
    answer.tier = readTier(response['service_tier']);
    answer.usage = usageOf(fieldsOf(response['usage']));
    const why = textOf(fieldsOf(response['incomplete_details'])?.['reason']);
    const status = textOf(response['status']);
    if (status === 'failed' || response['error'] != null) {
      return recorder.fail(readError(response['error']));
    }
    if (why !== undefined) {
      recorder.finish(FINISHES.get(why) ?? (hasClientCall ? 'tool_calls' : 'other'), why);
    } else if (status === 'incomplete') recorder.finish('other', status);
    // A call counts more than a refusal beside it: the client has to answer it.
    else if (hasClientCall) recorder.finish('tool_calls', status);
    else recorder.finish(hasRefused ? 'content_filter' : 'stop', hasRefused ? 'refusal' : status);
    recorder.complete();
  }

  return {
    event(event, name) {
      const { delta } = event;
      const item = fieldsOf(event['item']) ?? {};
      const place = event['output_index'] ?? event['item_id'] ?? item['id'];
      const type = textOf(event['type']) ?? name ?? '';
      switch (type) {
        case 'response.output_text.delta':
          return add(delta, recorder.text);
        case 'response.refusal.delta':
          hasRefused = true;
          return add(delta, recorder.text);
        case 'response.reasoning_text.delta':
        case 'response.reasoning_summary_text.delta':
          return add(delta, recorder.thought);
        case 'response.function_call_arguments.delta':
        case 'response.custom_tool_call_input.delta':
        case 'response.mcp_call_arguments.delta':
        case 'response.code_interpreter_call_code.delta': {
          const call = open.get(place);
          return add(delta, (piece) => call && recorder.addToCall(call, piece));
        }
        case 'response.created':
          return begin(fieldsOf(event['response']));
        case 'response.output_item.added':
          return startItem(place, item);
        case 'response.output_item.done':
          recorder.block(item);
          return endItem(place, item);
        case 'response.completed':
        case 'response.incomplete':
          return end({
            status: type.slice('response.'.length),
            ...fieldsOf(event['response']),
          });
        case 'response.failed':
          return end({ ...fieldsOf(event['response']), status: 'failed' });
        case 'error':
          return recorder.fail(readError(event['error'] ?? event));
        // A server in between has words of its own.
        case '':
          if (event['error'] != null) recorder.fail(readError(event['error']));
          return;
        default:
      }
    },
    whole(response) {
      if (response['error'] != null) recorder.fail(readError(response['error']));
      // One that works in the background has not ended.
      const { status } = response;
      if (status === 'completed' || status === 'incomplete' || status === 'failed') end(response);
      else begin(response);
    },
  };
}
