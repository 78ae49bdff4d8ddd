import type { Answer } from '../answer.ts';
import type { Stop, StreamError } from '../options.ts';
import type { Wire } from './wire.ts';
import { EVENT_STREAM, namedEvent, reported } from './wire.ts';

const STOP_REASONS: Readonly<Record<Stop, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  refusal: 'refusal',
  'content-filter': 'refusal',
  blocked: 'refusal',
};

const FAILURES: Readonly<Record<StreamError, { type: string; message: string }>> = {
  overloaded: { type: 'overloaded_error', message: 'Overloaded' },
  'api-error': { type: 'api_error', message: 'Internal server error' },
  'rate-limit': { type: 'rate_limit_error', message: 'Number of tokens exceeded the rate limit' },
};

export function anthropicWire(answer: Answer): Wire {
  const { usage, thoughts } = answer;
  const index = thoughts.length > 0 ? 1 : 0;
  // The vendor counts what the cache did apart from input_tokens, not within.
  const input = {
    input_tokens: usage.input - usage.cacheRead - usage.cacheWrite,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
  };
  const ping = () => namedEvent({ type: 'ping' });
  const delta = (index: number, delta: object) =>
    namedEvent(typed('content_block_delta', { index, delta }));

  function thinking(): string {
    if (thoughts.length === 0) return '';
    const content_block = { type: 'thinking', thinking: '', signature: '' };
    return [
      namedEvent(typed('content_block_start', { index: 0, content_block })),
      ...thoughts.map((thinking) => delta(0, { type: 'thinking_delta', thinking })),
      delta(0, { type: 'signature_delta', signature: 'c2lnbmF0dXJl' }),
      namedEvent(typed('content_block_stop', { index: 0 })),
    ].join('');
  }

  return {
    headers: { ...EVENT_STREAM, 'request-id': `req_${answer.id}` },
    open: () =>
      namedEvent(
        typed('message_start', {
          message: {
            id: `msg_${answer.id}`,
            type: 'message',
            role: 'assistant',
            model: answer.model,
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: reported(
              {
                ...input,
                cache_creation: {
                  ephemeral_5m_input_tokens: usage.cacheWrite - usage.cacheWriteHour,
                  ephemeral_1h_input_tokens: usage.cacheWriteHour,
                },
                output_tokens: 1,
                service_tier: 'standard',
              },
              answer.usageKind,
            ),
          },
        }),
      ) +
      thinking() +
      namedEvent(
        typed('content_block_start', { index, content_block: { type: 'text', text: '' } }),
      ) +
      ping(),
    piece: (text) => delta(index, { type: 'text_delta', text }),
    close: () =>
      namedEvent(typed('content_block_stop', { index })) +
      namedEvent(
        typed('message_delta', {
          delta: { stop_reason: STOP_REASONS[answer.stop], stop_sequence: null },
          usage: reported({ ...input, output_tokens: usage.output }, answer.usageKind),
        }),
      ) +
      namedEvent({ type: 'message_stop' }),
    ping,
    unknown: () => namedEvent(typed('mill_pond', { level: 3 })),
    badShape: () => namedEvent(typed('content_block_delta', { index: 'one', delta: 7 })),
    failure: (error) => namedEvent(typed('error', { error: FAILURES[error] })),
  };
}

function typed(type: string, fields: object): { type: string } {
  return { type, ...fields };
}
