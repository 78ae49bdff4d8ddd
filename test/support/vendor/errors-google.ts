import { STATUSES } from './error-kinds.ts';
import type { ErrorAnswer, ErrorContext } from './error-kinds.ts';

const TYPE = 'type.googleapis.com/google.rpc.';

interface GoogleError {
  code: number;
  message: string;
  status: string;
  details?: object[];
}

export function googleError(context: ErrorContext): ErrorAnswer {
  const error = body(context);
  return {
    status: error.code,
    body: { error: { ...error, message: context.message ?? error.message } },
  };
}

function body({ kind, model, retryAfter }: ErrorContext): GoogleError {
  const code = STATUSES[kind];
  switch (kind) {
    case 'bad-key':
      return invalid('API key not valid. Please pass a valid API key.', [
        {
          '@type': `${TYPE}ErrorInfo`,
          reason: 'API_KEY_INVALID',
          domain: 'googleapis.com',
          metadata: { service: 'generativelanguage.googleapis.com' },
        },
        {
          '@type': `${TYPE}LocalizedMessage`,
          locale: 'en-US',
          message: 'API key not valid. Please pass a valid API key.',
        },
      ]);
    case 'no-key':
      return {
        code: 403,
        status: 'PERMISSION_DENIED',
        message:
          "Method doesn't allow unregistered callers (callers without established identity). " +
          'Please use API Key or other form of API consumer identity to call this API.',
      };
    case 'restricted-key':
    case 'forbidden':
    case 'moderation':
      return {
        code: 403,
        status: 'PERMISSION_DENIED',
        message: 'Requests to this API method are blocked.',
      };
    case 'no-model':
      return {
        code: 404,
        status: 'NOT_FOUND',
        message: `models/${model} is not found for API version v1beta, or is not supported for generateContent.`,
      };
    case 'no-path':
      return { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' };
    case 'context-length':
      return invalid(
        'The input token count (1203456) exceeds the maximum number of tokens allowed (1048576).',
      );
    case 'billing':
    case 'billing-in-disguise':
    case 'rate-limit':
    case 'rate-limit-ms':
    case 'rate-limit-date':
    case 'rate-limit-plain':
    case 'rate-limit-body':
      return exhausted(model, retryAfter);
    case 'tier-unavailable':
      return {
        code: 503,
        status: 'UNAVAILABLE',
        message: 'This model is currently experiencing high demand. Please try again later.',
      };
    case 'unavailable':
    case 'overloaded':
      return {
        code: 503,
        status: 'UNAVAILABLE',
        message: 'The model is overloaded. Please try again later.',
      };
    case 'request-timeout':
    case 'gateway-timeout':
      return {
        code: 504,
        status: 'DEADLINE_EXCEEDED',
        message: 'Deadline expired before operation could complete.',
      };
    case 'server-error':
    case 'bad-gateway':
      return { code: 500, status: 'INTERNAL', message: 'An internal error has occurred.' };
    case 'bad-request':
    case 'too-large':
      return { ...invalid('contents is not specified'), code: code === 413 ? 400 : code };
  }
}

function invalid(message: string, details?: object[]): GoogleError {
  const error = { code: 400, status: 'INVALID_ARGUMENT', message };
  return details ? { ...error, details } : error;
}

// Google speaks of billing in every 429, also in those that pass after some seconds.
function exhausted(model: string, retryAfter: number | undefined): GoogleError {
  const metric = 'generativelanguage.googleapis.com/generate_content_paid_tier_input_token_count';
  return {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message:
      'You exceeded your current quota, please check your plan and billing details. ' +
      'For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.',
    details: [
      {
        '@type': `${TYPE}QuotaFailure`,
        violations: [
          {
            quotaMetric: metric,
            quotaId: 'GenerateContentPaidTierInputTokensPerModelPerMinute',
            quotaDimensions: { location: 'global', model },
            quotaValue: '1000000',
          },
        ],
      },
      {
        '@type': `${TYPE}Help`,
        links: [
          {
            description: 'Learn more about Gemini API quotas',
            url: 'https://ai.google.dev/gemini-api/docs/rate-limits',
          },
        ],
      },
      ...(retryAfter === undefined
        ? []
        : [{ '@type': `${TYPE}RetryInfo`, retryDelay: `${retryAfter}s` }]),
    ],
  };
}
