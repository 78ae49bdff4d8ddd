// Anthropic's messages: a message of blocks, each with its deltas.
import type { Finish, ToolCall, WireUsage } from './answer.ts';
import type { ProtocolReader } from './create-reader.ts';
import { readError, unreadable } from './error.ts';
import {
  append,
  countOf,
  fieldsOf,
  isCount,
  jsonOf,
  listOf,
  textOf,
  type Fields,
} from './fields.ts';
import type { Recorder } from './recorder.ts';
import { readTier } from './tier.ts';

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  // A tool of the vendor's takes long: the caller may ask for more.
  ['pause_turn', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content_filter'],
]);

/** The caller's tools, the vendor's own, and those of servers that the vendor calls. */
const CALLS = new Set<unknown>(['tool_use', 'server_tool_use', 'mcp_tool_use']);

/** Counts that end an answer, and those of its beginning, are merged: later ones count. */
function usageOf(usage: Fields): Omit<WireUsage, 'output'> | undefined {
  if (!isCount(usage['input_tokens'])) return undefined;
  const cacheRead = countOf(usage['cache_read_input_tokens']);
  const cacheWrite = countOf(usage['cache_creation_input_tokens']);
  const created = fieldsOf(usage['cache_creation']);
  const hour = Math.min(cacheWrite, countOf(created?.['ephemeral_1h_input_tokens']));
  // The vendor counts what is in the cache apart.
  const input = rounds(usage, 'input_tokens') + cacheRead + cacheWrite;
  if (!isCount(input)) return undefined;
  return {
    input,
    cacheRead,
    cacheWrite,
    ...(hour > 0 && { cacheWriteHour: hour }),
  };
}

/**
 * Where the model was called several times for one answer, as to compact what it was given, the totals leave some of it
 * out. But the totals of an answer by another model, after the first declined, are those of that answer.
 */
function rounds(usage: Fields, name: 'input_tokens' | 'output_tokens'): number {
  const all = listOf(usage['iterations']).map((each) => fieldsOf(each) ?? {});
  const own = all.filter(({ type }) => type === 'message' || type === 'compaction');
  if (own.length === 0 || all.some(({ type }) => type === 'fallback_message')) {
    return countOf(usage[name]);
  }
  return own.reduce((sum, each) => sum + countOf(each[name]), 0);
}

export function readAnthropic(recorder: Recorder): ProtocolReader {
  const { answer } = recorder;
  /** Calls whose block is open, and the arguments that the block itself brought. */
  const open = new Map<unknown, { call: ToolCall; given: string }>();
  const kept = new Map<unknown, Fields | undefined>();
  let usage: Fields = {};
  let calls = 0;

  function takeUsage(reported: Fields | undefined, isLast: boolean): void {
    if (reported === undefined) return;
    for (const name of Object.keys(reported)) {
      if (reported[name] != null) usage[name] = reported[name];
    }
    // Charged apart from the tiers that it names.
    if (usage['speed'] === 'fast') answer.tier = readTier('fast');
    const soFar = usageOf(usage);
    if (soFar === undefined) return;
    if (!isLast) {
      answer.partial = soFar;
      return;
    }
    if (!isCount(usage['output_tokens'])) return;
    const thought = fieldsOf(usage['output_tokens_details'])?.['thinking_tokens'];
    answer.usage = {
      ...soFar,
      output: rounds(usage, 'output_tokens'),
      ...(isCount(thought) && { reasoning: thought }),
    };
  }

  function startMessage(message: Fields | undefined): void {
    if (message === undefined) return;
    recorder.model(message['model']);
    takeContainer(message);
    takeUsage(fieldsOf(message['usage']), false);
  }

  function takeContainer(holder: Fields): void {
    answer.storedId = textOf(fieldsOf(holder['container'])?.['id']) ?? answer.storedId;
  }

  /** Also of an answer that comes whole. */
  function startBlock(index: unknown, block: Fields): void {
    answer.began = true;
    kept.set(index, recorder.block(block));
    const { type } = block;
    if (type === 'text') recorder.text(textOf(block['text']) ?? '');
    else if (type === 'thinking') recorder.thought(textOf(block['thinking']) ?? '');
    else if (CALLS.has(type)) {
      const own = textOf(block['id']);
      const call = recorder.startCall({
        id: own ?? `call_${calls}`,
        name: textOf(block['name']) ?? '',
        arguments: '',
        ...(own === undefined && { isCounted: true }),
      });
      calls += 1;
      const given = jsonOf(block['input'] ?? {});
      if (given === undefined) recorder.fail(unreadable('the arguments of a call are too deep'));
      open.set(index, { call, given: given ?? '' });
    }
  }

  function addToBlock({ index, delta }: Fields): void {
    const fields = fieldsOf(delta);
    if (fields === undefined || !isCount(index)) {
      return recorder.fail(unreadable('a piece of the answer has no place'));
    }
    const { type } = fields;
    keep(kept.get(index), fields);
    if (type === 'text_delta') return add(fields['text'], recorder.text);
    if (type === 'thinking_delta') return add(fields['thinking'], recorder.thought);
    const block = open.get(index);
    if (type === 'input_json_delta' && block !== undefined) {
      add(fields['partial_json'], (piece) => recorder.addToCall(block.call, piece));
    }
  }

  /** The arguments of calls are in the calls. */
  function keep(block: Fields | undefined, delta: Fields): void {
    if (block === undefined) return;
    for (const name of ['text', 'thinking', 'signature']) append(block, name, delta[name]);
  }

  function add(piece: unknown, take: (piece: string) => void): void {
    if (typeof piece === 'string') take(piece);
    else recorder.fail(unreadable('a piece of the answer has no text'));
  }

  function stopBlock(index: unknown): void {
    const block = open.get(index);
    if (block === undefined) return;
    open.delete(index);
    if (block.call.arguments === '') recorder.addToCall(block.call, block.given);
  }

  function endMessage(delta: Fields, reported: Fields | undefined): void {
    const reason = textOf(delta['stop_reason']);
    takeContainer(delta);
    takeUsage(reported, reason !== undefined);
    if (reason !== undefined) recorder.finish(FINISHES.get(reason) ?? 'other', reason);
  }

  return {
    event(event, name) {
      switch (textOf(event['type']) ?? name ?? '') {
        case 'content_block_delta':
          return addToBlock(event);
        case 'message_start':
          return startMessage(fieldsOf(event['message']));
        case 'content_block_start':
          return startBlock(event['index'], fieldsOf(event['content_block']) ?? {});
        case 'content_block_stop':
          return stopBlock(event['index']);
        case 'message_delta':
          return endMessage(fieldsOf(event['delta']) ?? {}, fieldsOf(event['usage']));
        case 'message_stop':
          if (answer.finish !== undefined) recorder.complete();
          return;
        case 'error':
          return recorder.fail(readError(event['error'] ?? event));
        // A server in between has words of its own.
        case '':
          if (event['error'] != null) recorder.fail(readError(event['error']));
          return;
        default:
      }
    },
    whole(message) {
      if (message['type'] === 'error' || message['error'] != null) {
        return recorder.fail(readError(message['error'] ?? message));
      }
      startMessage(message);
      for (const [index, block] of listOf(message['content']).entries()) {
        startBlock(index, fieldsOf(block) ?? {});
        stopBlock(index);
      }
      endMessage(message, fieldsOf(message['usage']));
      if (answer.finish !== undefined) recorder.complete();
    },
  };
}
