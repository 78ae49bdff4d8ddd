import type { Answer } from '../answer.ts';
import type { Stop, StreamError } from '../options.ts';
import type { Wire } from './wire.ts';
import { dataEvent, EVENT_STREAM, reported } from './wire.ts';

export const FINISH_REASONS: Readonly<Record<Stop, string>> = {
  stop: 'stop',
  length: 'length',
  // A refusal is an answer like any other here: only the field that carries its text differs.
  refusal: 'stop',
  'content-filter': 'content_filter',
  blocked: 'content_filter',
};

const FAILURES: Readonly<Record<StreamError, object>> = {
  overloaded: { message: 'The engine is overloaded', type: 'overloaded_error', code: 503 },
  'api-error': { message: 'EngineCore encountered an issue', type: 'server_error', code: 500 },
  'rate-limit': { message: 'Too many requests', type: 'rate_limit_error', code: 429 },
};

/** Chat completions as OpenAI and the servers that copy it stream them. */
export function chatWire(answer: Answer): Wire {
  const refuses = answer.stop === 'refusal';
  const chunk = (choices: object[], usage: object | null = null) =>
    dataEvent({
      id: `chatcmpl-${answer.id}`,
      object: 'chat.completion.chunk',
      created: answer.created,
      model: answer.model,
      choices,
      ...(answer.tier !== undefined && { service_tier: answer.tier }),
      ...(answer.includeUsage && { usage }),
    });
  const delta = (delta: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason }]);

  function lastUsage(): string {
    if (!answer.includeUsage) return '';
    const usage = reported(chatUsage(answer), answer.usageKind);
    return usage === undefined ? '' : chunk([], usage);
  }

  return {
    headers: { ...EVENT_STREAM, 'x-request-id': `req_${answer.id}` },
    open: () =>
      delta({ role: 'assistant', content: '' }) +
      answer.thoughts.map((reasoning_content) => delta({ reasoning_content })).join(''),
    piece: (text) => delta(refuses ? { refusal: text } : { content: text }),
    close: () => delta({}, FINISH_REASONS[answer.stop]) + lastUsage() + 'data: [DONE]\n\n',
    ping: () => ': keep-alive\n\n',
    unknown: () => dataEvent({ object: 'chat.mill.pond', level: 3, choices: [] }),
    badShape: () => dataEvent({ id: 7, choices: 'none' }),
    failure: (error) =>
      dataEvent({ error: { param: null, ...FAILURES[error] } }) + 'data: [DONE]\n\n',
  };
}

export function chatUsage({ usage }: Answer) {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}
