// The events of a plain answer in Anthropic's form.
import type { JSONObject } from '@ai-sdk/provider';
import type { Received } from '../received.ts';
import { isCount, partialUsage } from '../usage.ts';
import { fieldsOf } from './plain-reader.ts';
import type { PlainReader } from './plain-reader.ts';

const FINISHES = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content-filter'],
]);

/** All that the last delta of a message has. */
const DELTA_FIELDS = ['stop_reason', 'stop_sequence'];

type Fields = Record<string, unknown>;

/** Only what every such object has: more than that means something that we do not know. */
function hasOnly(fields: Fields, names: readonly string[]): boolean {
  return Object.entries(fields).every(([name, value]) => value == null || names.includes(name));
}

export function createAnthropicReader(
  received: Received,
  onText: (delta: string) => void,
): PlainReader {
  let replay: unknown[] = [];
  let usage: Fields | undefined;
  let isOver = false;
  const openBlocks = new Map<unknown, string>();

  function startMessage(event: Fields): boolean {
    const message = fieldsOf(event['message']);
    const reported = fieldsOf(message?.['usage']);
    if (usage !== undefined || reported === undefined || !isCount(reported['input_tokens']))
      return false;
    if (typeof message?.['id'] !== 'string' || message['stop_reason'] != null) return false;
    usage = { ...reported };
    received.partial = partialUsage(event) ?? received.partial;
    return true;
  }

  function startBlock({ index, content_block: block }: Fields): boolean {
    const { type, text, thinking } = fieldsOf(block) ?? {};
    const isEmpty = type === 'text' ? text === '' : type === 'thinking' && thinking === '';
    if (!isEmpty || openBlocks.has(index) || !isCount(index)) return false;
    openBlocks.set(index, type as string);
    received.began = true;
    return true;
  }

  function addToBlock({ index, delta }: Fields): boolean {
    const fields = fieldsOf(delta);
    const block = openBlocks.get(index);
    if (fields === undefined || block === undefined) return false;
    const { type, text, thinking } = fields;
    if (type === 'text_delta' && block === 'text' && typeof text === 'string') {
      received.text += text;
      onText(text);
      return true;
    }
    if (block !== 'thinking') return false;
    if (type === 'thinking_delta' && typeof thinking === 'string') received.thought += thinking;
    else if (type !== 'signature_delta') return false;
    return true;
  }

  function endMessage(event: Fields): boolean {
    const delta = fieldsOf(event['delta']);
    const reported = fieldsOf(event['usage']);
    const reason = delta?.['stop_reason'];
    const finish = FINISHES.get(String(reason));
    if (usage === undefined || finish === undefined || !hasOnly(delta!, DELTA_FIELDS)) return false;
    if (
      reported === undefined ||
      !isCount(reported['output_tokens']) ||
      reported['iterations'] != null
    ) {
      return false;
    }
    for (const [name, value] of Object.entries(reported)) if (value != null) usage[name] = value;
    received.finish = finish;
    received.finishRaw = String(reason);
    return true;
  }

  function stopMessage(): boolean {
    if (usage === undefined || received.finish === undefined) return false;
    const read = (name: string) => Number(usage![name] ?? 0);
    const cacheRead = read('cache_read_input_tokens');
    const cacheWrite = read('cache_creation_input_tokens');
    const input = read('input_tokens');
    received.usage = {
      inputTokens: { total: input + cacheRead + cacheWrite, noCache: input, cacheRead, cacheWrite },
      outputTokens: { total: read('output_tokens'), text: undefined, reasoning: undefined },
      raw: usage as JSONObject,
    };
    isOver = true;
    return true;
  }

  function takeKnown(event: Fields): boolean {
    switch (event['type']) {
      case 'message_start':
        return startMessage(event);
      case 'content_block_start':
        return startBlock(event);
      case 'content_block_stop':
        return openBlocks.delete(event['index']);
      case 'message_delta':
        return endMessage(event);
      case 'message_stop':
        return stopMessage();
      default:
        return false;
    }
  }

  return {
    take(event) {
      const fields = fieldsOf(event);
      if (fields === undefined || isOver) return false;
      const { type } = fields;
      if (type === 'content_block_delta') {
        const before = received.text.length;
        if (!addToBlock(fields)) return false;
        if (received.text.length === before) onText('');
        return true;
      }
      onText('');
      if (type === 'ping') return true;
      if (!takeKnown(fields)) return false;
      replay.push(fields);
      return true;
    },
    isComplete: () => isOver,
    hasEnded: () => isOver,
    replay() {
      // The package reports it all again.
      received.finish = undefined;
      received.finishRaw = undefined;
      received.usage = undefined;
      const events = replay;
      replay = [];
      return events;
    },
  };
}
