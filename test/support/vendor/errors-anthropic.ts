import type { ErrorAnswer, ErrorContext, ErrorKind } from './error-kinds.ts';

type Row = readonly [type: string, message: string, status?: number];

export function anthropicError(context: ErrorContext): ErrorAnswer {
  const [type, message, status] = row(context.kind, context.model);
  return {
    status: status ?? 500,
    headers: { 'request-id': context.requestId },
    body: {
      type: 'error',
      error: { type, message: context.message ?? message },
      request_id: context.requestId,
    },
  };
}

function row(kind: ErrorKind, model: string): Row {
  switch (kind) {
    case 'bad-request':
      return ['invalid_request_error', 'messages: Field required', 400];
    case 'bad-key':
      return ['authentication_error', 'invalid x-api-key', 401];
    case 'no-key':
      return ['authentication_error', 'x-api-key header is required', 401];
    case 'billing':
      return ['billing_error', 'There is a problem with your billing information.', 402];
    case 'billing-in-disguise':
      return [
        'invalid_request_error',
        'Your credit balance is too low to access the Anthropic API. ' +
          'Please go to Plans & Billing to upgrade or purchase credits.',
        400,
      ];
    case 'restricted-key':
    case 'forbidden':
    case 'moderation':
      return [
        'permission_error',
        'Your API key does not have permission to use the specified resource.',
        403,
      ];
    case 'no-model':
      return ['not_found_error', `model: ${model}`, 404];
    case 'no-path':
      return ['not_found_error', 'Not Found', 404];
    case 'too-large':
      return ['request_too_large', 'Request exceeds the maximum size', 413];
    case 'context-length':
      return ['invalid_request_error', 'prompt is too long: 215310 tokens > 200000 maximum', 400];
    case 'rate-limit':
    case 'rate-limit-ms':
    case 'rate-limit-date':
    case 'rate-limit-plain':
    case 'rate-limit-body':
    case 'tier-unavailable':
      return [
        'rate_limit_error',
        'This request would exceed the rate limit of your organization.',
        429,
      ];
    case 'unavailable':
      return ['api_error', 'Service temporarily unavailable', 503];
    case 'request-timeout':
      return ['timeout_error', 'Request timed out', 408];
    case 'gateway-timeout':
      return ['timeout_error', 'Request timed out', 504];
    case 'overloaded':
      return ['overloaded_error', 'Overloaded', 529];
    case 'server-error':
    case 'bad-gateway':
      return ['api_error', 'Internal server error', 500];
  }
}
