import type { Answer } from '../answer.ts';
import type { StreamError } from '../options.ts';
import { chatUsage, FINISH_REASONS } from './chat.ts';
import type { Wire } from './wire.ts';
import { dataEvent, EVENT_STREAM, reported } from './wire.ts';

const PROCESSING = ': OPENROUTER PROCESSING\n\n';

const FAILURES: Readonly<Record<StreamError, object>> = {
  overloaded: { code: 503, message: 'The model is overloaded' },
  'api-error': { code: 502, message: 'Provider disconnected unexpectedly' },
  'rate-limit': { code: 429, message: 'Rate limit exceeded' },
};

/** Chat completions as OpenRouter streams them: with comments, a provider and the cost. */
export function openrouterWire(answer: Answer): Wire {
  const chunk = (fields: object) =>
    dataEvent({
      id: `gen-${answer.id}`,
      provider: 'Example Cloud',
      model: answer.model,
      object: 'chat.completion.chunk',
      created: answer.created,
      ...fields,
    });
  const delta = (delta: object, finish: string | null = null, fields: object = {}) =>
    chunk({
      choices: [
        {
          index: 0,
          delta: { role: 'assistant', ...delta },
          finish_reason: finish,
          native_finish_reason: finish,
          logprobs: null,
        },
      ],
      ...fields,
    });

  function lastUsage(): string {
    const base = chatUsage(answer);
    const usage = reported(
      {
        ...base,
        cost: answer.usage.cost,
        is_byok: false,
        prompt_tokens_details: {
          ...base.prompt_tokens_details,
          cache_write_tokens: answer.usage.cacheWrite,
        },
        cost_details: { upstream_inference_cost: null },
      },
      answer.usageKind,
    );
    return usage === undefined ? '' : delta({ content: '' }, null, { usage });
  }

  // A refusal of the model comes as a filter's stop: there is no field of its own for it.
  const finish = answer.stop === 'refusal' ? 'content_filter' : FINISH_REASONS[answer.stop];
  return {
    headers: { ...EVENT_STREAM, 'x-generation-id': `gen-${answer.id}` },
    open: () =>
      PROCESSING + answer.thoughts.map((reasoning) => delta({ content: '', reasoning })).join(''),
    piece: (text) => delta({ content: text }),
    close: () => delta({ content: '' }, finish) + lastUsage() + 'data: [DONE]\n\n',
    ping: () => PROCESSING,
    unknown: () => chunk({ object: 'chat.mill.pond', level: 3, choices: [] }),
    badShape: () => dataEvent({ id: 7, choices: 'none' }),
    failure: (error) => delta({ content: '' }, 'error', { error: FAILURES[error] }),
  };
}
