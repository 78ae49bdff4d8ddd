import { STATUS_CODES } from 'node:http';
import { STATUSES } from './error-kinds.ts';
import type { ErrorAnswer, ErrorContext, ErrorKind } from './error-kinds.ts';

interface OpenAIError {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

export function openaiError(context: ErrorContext): ErrorAnswer {
  const error = openaiBody(context);
  return {
    status: STATUSES[context.kind],
    headers: { 'x-request-id': context.requestId },
    body: { error: { ...error, message: context.message ?? error.message } },
  };
}

function openaiBody({ kind, model, key }: ErrorContext): OpenAIError {
  const base = { type: 'invalid_request_error', param: null, code: null };
  switch (kind) {
    case 'bad-key':
      // The real one shows both ends of the key; a client must not pass even those on.
      return {
        ...base,
        message: `Incorrect API key provided: ${masked(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
        code: 'invalid_api_key',
      };
    case 'no-key':
      return { ...base, message: "You didn't provide an API key." };
    case 'restricted-key':
      return {
        ...base,
        message:
          'You have insufficient permissions for this operation. Missing scopes: api.model.read.',
        code: 'missing_scope',
      };
    case 'billing':
    case 'billing-in-disguise':
      return {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        param: null,
        code: 'insufficient_quota',
      };
    case 'forbidden':
    case 'moderation':
      return {
        message: 'Country, region, or territory not supported',
        type: 'request_forbidden',
        param: null,
        code: 'unsupported_country_region_territory',
      };
    case 'no-model':
      return {
        ...base,
        message: `The model \`${model}\` does not exist or you do not have access to it.`,
        code: 'model_not_found',
      };
    case 'no-path':
      return { ...base, message: 'Invalid URL', code: null };
    case 'too-large':
      return { ...base, message: 'Maximum content size limit exceeded.' };
    case 'context-length':
      return {
        ...base,
        message:
          'Your input exceeds the context window of this model. Please adjust your input and try again.',
        param: 'input',
        code: 'context_length_exceeded',
      };
    case 'rate-limit':
    case 'rate-limit-ms':
    case 'rate-limit-date':
    case 'rate-limit-plain':
    case 'rate-limit-body':
      return {
        message: `Rate limit reached for ${model} on tokens per min (TPM): Limit 30000, Used 29500, Requested 1200.`,
        type: 'tokens',
        param: null,
        code: 'rate_limit_exceeded',
      };
    case 'tier-unavailable':
      return {
        message: 'Resource unavailable. Please try again at a later time.',
        type: 'resource_unavailable',
        param: null,
        code: 'resource_unavailable',
      };
    case 'unavailable':
    case 'overloaded':
      return {
        message: 'The server is currently overloaded with other requests. Sorry about that!',
        type: 'service_unavailable_error',
        param: null,
        code: 'server_is_overloaded',
      };
    case 'request-timeout':
    case 'gateway-timeout':
      return { message: 'Request timed out.', type: 'server_error', param: null, code: null };
    case 'server-error':
    case 'bad-gateway':
      return {
        message: 'The server had an error while processing your request. Sorry about that!',
        type: 'server_error',
        param: null,
        code: null,
      };
    case 'bad-request':
      return { ...base, message: "Missing required parameter: 'model'.", param: 'model' };
  }
}

function masked(key: string): string {
  return key.length < 12 ? '***' : `${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`;
}

/** What a vLLM server answers; its refusal of a key has a shape of its own. */
export function compatibleError(context: ErrorContext): ErrorAnswer {
  const status = STATUSES[context.kind];
  if (status === 401) return { status, body: { error: context.message ?? 'Unauthorized' } };
  const message = context.message ?? compatibleMessage(context.kind, context.model);
  const type = COMPATIBLE_TYPES[status] ?? 'InternalServerError';
  return { status, body: { error: { message, type, param: null, code: status } } };
}

const COMPATIBLE_TYPES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  402: 'PaymentRequired',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  413: 'RequestEntityTooLarge',
  429: 'RateLimitError',
};

function compatibleMessage(kind: ErrorKind, model: string): string {
  if (kind === 'no-model') return `The model \`${model}\` does not exist.`;
  if (kind === 'tier-unavailable') return 'Resource unavailable';
  if (kind === 'context-length') {
    return (
      "You passed 33015 input tokens and requested 10 output tokens. However, the model's " +
      'context length is only 32768 tokens, resulting in a maximum input length of 32758 tokens.'
    );
  }
  return STATUS_CODES[STATUSES[kind]] ?? 'Overloaded';
}
