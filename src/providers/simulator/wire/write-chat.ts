import { simulatedCostUsd } from '../price.ts';
import { record } from './loose-json.ts';
import type { Part } from './speak.ts';
import { dataEvent, textOf, tierOf } from './writer.ts';
import type { ReplyEnd, ReplyHead, Writer } from './writer.ts';

const FINISH_REASONS: Readonly<Record<ReplyEnd['finish'], string>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  stop_sequence: 'stop',
};

/** Chat completions of OpenAI; OpenRouter says besides who answered, and always what it cost. */
export function writeChat(head: ReplyHead, isOpenRouter: boolean): Writer {
  const includesUsage = isOpenRouter || record(head.asked.stream_options).include_usage === true;
  const of = (object: string) => ({
    id: `${isOpenRouter ? 'gen-' : 'chatcmpl-'}${head.id}`,
    object,
    created: head.created,
    model: head.model,
    system_fingerprint: 'fp_simulated',
    ...(isOpenRouter ? { provider: 'Simulator' } : { service_tier: tierOf(head.asked, 'default') }),
  });
  const finished = (reason: string | null) => ({
    finish_reason: reason,
    ...(isOpenRouter && { native_finish_reason: reason }),
  });
  const chunk = (choices: object[], usage: object | null) =>
    dataEvent({
      ...of('chat.completion.chunk'),
      choices,
      ...(includesUsage && { usage }),
    });
  const delta = (delta: object, finish: string | null = null) =>
    chunk([{ index: 0, delta, logprobs: null, ...finished(finish) }], null);
  const callDelta = (index: number, fields: object) =>
    delta({ tool_calls: [{ index, ...fields }] });
  const usage = (end: ReplyEnd) => chatUsage(head, end.output, isOpenRouter);

  return {
    open: () => delta({ role: 'assistant', content: '', refusal: null }),
    begin: ({ call }) =>
      call === undefined ? '' : callDelta(call.index, callOf(head.id, call, '')),
    piece: ({ call }, text) => {
      if (call === undefined) return delta({ content: text });
      return callDelta(
        call.index,
        call.isFreeText ? { custom: { input: text } } : { function: { arguments: text } },
      );
    },
    end: () => '',
    close: (end) =>
      delta({}, FINISH_REASONS[end.finish]) +
      (includesUsage ? chunk([], usage(end)) : '') +
      'data: [DONE]\n\n',
    failure({ error }) {
      if (!isOpenRouter) return dataEvent({ error });
      const ended = { index: 0, delta: { content: '' }, finish_reason: 'error' };
      return dataEvent({ ...of('chat.completion.chunk'), choices: [ended], error });
    },
    whole(end, parts) {
      const calls = parts.flatMap(({ call, text }) =>
        call === undefined ? [] : [callOf(head.id, call, text)],
      );
      const message = {
        role: 'assistant',
        content: calls.length > 0 ? textOf(parts) || null : textOf(parts),
        ...(calls.length > 0 && { tool_calls: calls }),
        refusal: null,
        annotations: [],
      };
      return {
        ...of('chat.completion'),
        choices: [{ index: 0, message, logprobs: null, ...finished(FINISH_REASONS[end.finish]) }],
        usage: usage(end),
      };
    },
  };
}

function callOf(id: string, call: NonNullable<Part['call']>, text: string): object {
  const { name, index } = call;
  return {
    id: `call_${id}${index}`,
    ...(call.isFreeText
      ? { type: 'custom', custom: { name, input: text } }
      : { type: 'function', function: { name, arguments: text } }),
  };
}

function chatUsage(head: ReplyHead, output: number, hasCost: boolean): object {
  const { input, cacheRead, cacheWrite } = head;
  const costUsd = simulatedCostUsd({ input, output, cacheRead, cacheWrite, estimated: false });
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    ...(hasCost && {
      cost: costUsd,
      is_byok: false,
      cost_details: { upstream_inference_cost: null },
    }),
  };
}
