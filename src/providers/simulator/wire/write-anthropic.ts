import { isRecord } from './loose-json.ts';
import type { Part } from './speak.ts';
import { namedEvent } from './writer.ts';
import type { ReplyEnd, ReplyHead, Writer } from './writer.ts';

const STOP_REASONS: Readonly<Record<ReplyEnd['finish'], string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  stop_sequence: 'stop_sequence',
};

export function writeAnthropic(head: ReplyHead): Writer {
  const typed = (type: string, fields: object) => ({ type, ...fields });
  const event = (type: string, fields: object) => namedEvent(typed(type, fields));
  let hasPinged = false;

  // The vendor counts what the cache did apart from input_tokens, not within.
  const usage = (output: number) => ({
    input_tokens: head.input - head.cacheRead - head.cacheWrite,
    cache_creation_input_tokens: head.cacheWrite,
    cache_read_input_tokens: head.cacheRead,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: 0 },
    server_tool_use: null,
  });
  const message = (end: ReplyEnd | undefined, content: object[]) => ({
    id: `msg_${head.id}`,
    type: 'message',
    role: 'assistant',
    model: head.model,
    content,
    container: null,
    ...stopOf(end),
    usage: {
      ...usage(end?.output ?? 1),
      cache_creation: {
        ephemeral_5m_input_tokens: head.cacheWrite,
        ephemeral_1h_input_tokens: 0,
      },
      service_tier: 'standard',
      inference_geo: 'not_available',
      speed: 'standard',
    },
  });
  const block = (part: Part, input: unknown) =>
    part.call === undefined
      ? { type: 'text', text: '', citations: null }
      : {
          type: 'tool_use',
          id: `toolu_${head.id}${part.call.index}`,
          name: part.call.name,
          input,
          caller: { type: 'direct' },
        };

  return {
    open: () => event('message_start', { message: message(undefined, []) }),
    begin(part) {
      const ping = hasPinged ? '' : event('ping', {});
      hasPinged = true;
      const content_block = block(part, {});
      return event('content_block_start', { index: part.index, content_block }) + ping;
    },
    piece: ({ index, call }, text) =>
      event('content_block_delta', {
        index,
        delta:
          call === undefined
            ? { type: 'text_delta', text }
            : { type: 'input_json_delta', partial_json: text },
      }),
    end: ({ index }) => event('content_block_stop', { index }),
    close: (end) =>
      event('message_delta', {
        delta: { ...stopOf(end), container: null },
        usage: usage(end.output),
      }) + event('message_stop', {}),
    failure: ({ error }) => event('error', { error, request_id: `req_${head.id}` }),
    whole: (end, parts) =>
      message(
        end,
        parts.map((part) =>
          part.call === undefined
            ? { ...block(part, undefined), text: part.text }
            : block(part, readInput(part.text)),
        ),
      ),
  };
}

function stopOf(end: ReplyEnd | undefined) {
  const refusal = { type: 'refusal', category: null, explanation: null };
  return {
    stop_reason: end === undefined ? null : STOP_REASONS[end.finish],
    stop_sequence: end?.stopSequence ?? null,
    stop_details: end?.finish === 'content_filter' ? refusal : null,
  };
}

/** Arguments that a limit has cut are no JSON: the vendor then gives what it can read of them. */
function readInput(text: string): object {
  try {
    const input: unknown = JSON.parse(text);
    return isRecord(input) ? input : {};
  } catch {
    return {};
  }
}
