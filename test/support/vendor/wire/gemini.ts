import type { Answer } from '../answer.ts';
import type { Stop, StreamError } from '../options.ts';
import type { Wire } from './wire.ts';
import { EVENT_STREAM, reported } from './wire.ts';

const FINISH_REASONS: Readonly<Record<Stop, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  refusal: 'SAFETY',
  'content-filter': 'PROHIBITED_CONTENT',
  blocked: 'SAFETY',
};

const FAILURES: Readonly<Record<StreamError, object>> = {
  overloaded: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' },
  'api-error': { code: 500, message: 'An internal error has occurred.', status: 'INTERNAL' },
  'rate-limit': { code: 429, message: 'Resource exhausted.', status: 'RESOURCE_EXHAUSTED' },
};

// This vendor ends its lines as HTTP does.
const event = (data: unknown) => `data: ${JSON.stringify(data)}\r\n\r\n`;

/** streamGenerateContent with alt=sse. */
export function geminiWire(answer: Answer): Wire {
  const { usage, pieces } = answer;
  const text = usage.output - usage.reasoning;
  let sent = 0;

  // Every chunk tells the usage so far, not only the last one.
  function usageSoFar(candidates: number): object | undefined {
    return reported(
      {
        promptTokenCount: usage.input,
        ...(candidates !== 0 && { candidatesTokenCount: candidates }),
        totalTokenCount: usage.input + candidates + usage.reasoning,
        ...(usage.cacheRead !== 0 && {
          cachedContentTokenCount: usage.cacheRead,
          cacheTokensDetails: [{ modality: 'TEXT', tokenCount: usage.cacheRead }],
        }),
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.input }],
        ...(usage.reasoning !== 0 && { thoughtsTokenCount: usage.reasoning }),
        ...(answer.tier !== undefined && { serviceTier: answer.tier }),
      },
      answer.usageKind,
    );
  }

  const chunk = (candidates: number, fields: object) =>
    event({
      ...fields,
      usageMetadata: usageSoFar(candidates),
      modelVersion: answer.model,
      responseId: answer.id,
    });
  const candidate = (part: object, fields: object = {}) => ({
    candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...fields }],
  });

  return {
    headers: EVENT_STREAM,
    open: () =>
      answer.thoughts.map((text) => chunk(0, candidate({ text, thought: true }))).join(''),
    piece(piece) {
      sent += 1;
      const share = Math.round((text * sent) / Math.max(1, pieces.length));
      return chunk(share, candidate({ text: piece }));
    },
    close: () =>
      answer.stop === 'blocked'
        ? chunk(0, { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })
        : chunk(text, candidate({ text: '' }, { finishReason: FINISH_REASONS[answer.stop] })),
    ping: () => ': keep-alive\r\n\r\n',
    unknown: () => event({ millPond: { level: 3 } }),
    badShape: () => event({ candidates: 'none' }),
    failure: (error) => event({ error: FAILURES[error] }),
  };
}
