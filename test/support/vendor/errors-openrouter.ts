import { STATUSES } from './error-kinds.ts';
import type { ErrorAnswer, ErrorContext } from './error-kinds.ts';

export function openrouterError(context: ErrorContext): ErrorAnswer {
  const code = STATUSES[context.kind];
  const { message, metadata } = text(context);
  return {
    status: code,
    body: {
      error: { message: context.message ?? message, code, ...(metadata && { metadata }) },
    },
  };
}

function text({ kind, model }: ErrorContext): { message: string; metadata?: object } {
  const upstream = { provider_name: 'Example Cloud' };
  switch (kind) {
    case 'bad-key':
      return { message: 'User not found.' };
    case 'no-key':
      return { message: 'No auth credentials found' };
    case 'billing':
    case 'billing-in-disguise':
      return {
        message: 'Insufficient credits. Add more using https://openrouter.ai/settings/credits',
      };
    case 'moderation':
      return {
        message: `${model} requires moderation. Your input was flagged.`,
        metadata: {
          reasons: ['violence'],
          flagged_input: 'the first words of the prompt',
          model_slug: model,
          ...upstream,
        },
      };
    case 'restricted-key':
    case 'forbidden':
      return { message: 'Key limit exceeded (total limit).' };
    case 'no-model':
      return { message: `No endpoints found for ${model}.` };
    case 'no-path':
      return { message: 'Not Found' };
    case 'context-length':
      return {
        message:
          "This endpoint's maximum context length is 200000 tokens. However, you requested about " +
          '215310 tokens (215300 of text input, 10 in the output). ' +
          'Please reduce the length of either one.',
        metadata: { provider_name: null },
      };
    case 'rate-limit':
    case 'rate-limit-ms':
    case 'rate-limit-date':
    case 'rate-limit-plain':
    case 'rate-limit-body':
    case 'tier-unavailable':
      return {
        message: 'Provider returned error',
        metadata: { raw: `${model} is temporarily rate-limited upstream.`, ...upstream },
      };
    case 'unavailable':
      return { message: 'No instances available' };
    case 'server-error':
    case 'bad-gateway':
      return { message: 'Internal Server Error' };
    case 'overloaded':
      return {
        message: 'Provider returned error',
        metadata: {
          raw: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
          ...upstream,
        },
      };
    case 'request-timeout':
    case 'gateway-timeout':
      return { message: 'The operation was aborted' };
    case 'too-large':
      return { message: 'Request body is too large' };
    case 'bad-request':
      return { message: `${model} is not a valid model ID` };
  }
}
