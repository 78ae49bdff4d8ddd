import type { Answer } from '../answer.ts';
import type { StreamError } from '../options.ts';
import type { Wire } from './wire.ts';
import { EVENT_STREAM, namedEvent, reported } from './wire.ts';

const FAILURES: Readonly<Record<StreamError, { code: string; message: string }>> = {
  overloaded: {
    code: 'server_is_overloaded',
    message: 'Our servers are currently overloaded. Please try again later.',
  },
  'api-error': {
    code: 'server_error',
    message: 'An error occurred while processing your request.',
  },
  'rate-limit': { code: 'rate_limit_exceeded', message: 'Rate limit reached for this model.' },
};

/** The Responses API of OpenAI. */
export function responsesWire(answer: Answer): Wire {
  const refuses = answer.stop === 'refusal' || answer.stop === 'blocked';
  const item_id = `msg_${answer.id}`;
  const output_index = answer.thoughts.length > 0 ? 1 : 0;
  const place = { item_id, output_index, content_index: 0 };
  let sequence_number = 0;
  let said = '';

  function event(type: string, fields: object): string {
    const numbered = { type, sequence_number, ...fields };
    sequence_number += 1;
    return namedEvent(numbered);
  }

  const part = (text: string) =>
    refuses
      ? { type: 'refusal', refusal: text }
      : { type: 'output_text', annotations: [], logprobs: [], text };
  const message = (status: string, content: object[]) => ({
    id: item_id,
    type: 'message',
    status,
    content,
    role: 'assistant',
  });
  const response = (status: string, fields: object) => ({
    response: { ...emptyResponse(answer), status, ...fields },
  });

  function close(): string {
    const partial = answer.stop === 'length' || answer.stop === 'content-filter';
    const status = partial ? 'incomplete' : 'completed';
    const done = message(status, [part(said)]);
    const reason = answer.stop === 'length' ? 'max_output_tokens' : 'content_filter';
    return [
      refuses
        ? event('response.refusal.done', { ...place, refusal: said })
        : event('response.output_text.done', { ...place, text: said, logprobs: [] }),
      event('response.content_part.done', { ...place, part: part(said) }),
      event('response.output_item.done', { output_index, item: done }),
      event(
        `response.${status}`,
        response(status, {
          output: [done],
          usage: reportedUsage(answer) ?? null,
          service_tier: answer.tier ?? (answer.askedTier === undefined ? 'default' : null),
          ...(partial && { incomplete_details: { reason } }),
        }),
      ),
    ].join('');
  }

  return {
    headers: { ...EVENT_STREAM, 'x-request-id': `req_${answer.id}` },
    open: () =>
      [
        event('response.created', response('in_progress', {})),
        event('response.in_progress', response('in_progress', {})),
        ...reasoning(answer, event),
        event('response.output_item.added', { output_index, item: message('in_progress', []) }),
        event('response.content_part.added', { ...place, part: part('') }),
      ].join(''),
    piece(text) {
      said += text;
      return refuses
        ? event('response.refusal.delta', { ...place, delta: text })
        : event('response.output_text.delta', { ...place, delta: text, logprobs: [] });
    },
    close,
    ping: () => ': keep-alive\n\n',
    unknown: () => event('response.mill_pond.level', { level: 3 }),
    badShape: () => event('response.output_text.delta', { item_id: 7, delta: null }),
    failure: (error) =>
      event('error', { ...FAILURES[error], param: null }) +
      event('response.failed', response('failed', { error: FAILURES[error] })),
  };
}

function* reasoning(answer: Answer, event: (type: string, fields: object) => string) {
  if (answer.thoughts.length === 0) return;
  const item = { id: `rs_${answer.id}`, type: 'reasoning', summary: [] as object[] };
  const place = { item_id: item.id, output_index: 0, summary_index: 0 };
  const text = answer.thoughts.join('');
  const part = (text: string) => ({ type: 'summary_text', text });
  yield event('response.output_item.added', { output_index: 0, item });
  yield event('response.reasoning_summary_part.added', { ...place, part: part('') });
  for (const delta of answer.thoughts) {
    yield event('response.reasoning_summary_text.delta', { ...place, delta });
  }
  yield event('response.reasoning_summary_text.done', { ...place, text });
  yield event('response.reasoning_summary_part.done', { ...place, part: part(text) });
  yield event('response.output_item.done', {
    output_index: 0,
    item: { ...item, summary: [part(text)] },
  });
}

function reportedUsage({ usage, usageKind }: Answer): object | undefined {
  return reported(
    {
      input_tokens: usage.input,
      input_tokens_details: {
        cached_tokens: usage.cacheRead,
        ...(usage.cacheWrite !== 0 && { cache_write_tokens: usage.cacheWrite }),
      },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
    usageKind,
  );
}

function emptyResponse(answer: Answer): object {
  return {
    id: `resp_${answer.id}`,
    object: 'response',
    created_at: answer.created,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: answer.model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    // Until the end, what was asked for.
    service_tier: answer.askedTier ?? 'default',
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: null,
    metadata: {},
  };
}
