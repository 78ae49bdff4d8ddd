import { describe, expect, it } from 'vitest';
import type { FailureKind } from '../../src/providers/provider.ts';
import {
  failure,
  failureOfAnswer,
  failureOfWire,
  retryAfterMs,
} from '../../src/providers/vendors/failures.ts';
import { outputLimitIn } from '../../src/providers/vendors/output-limit.ts';
import { readError, unreadable } from '../../src/providers/wire/error.ts';
import type { ErrorContext, ErrorKind } from '../support/vendor/error-kinds.ts';
import { anthropicError } from '../support/vendor/errors-anthropic.ts';
import { googleError } from '../support/vendor/errors-google.ts';
import { compatibleError, openaiError } from '../support/vendor/errors-openai.ts';
import { openrouterError } from '../support/vendor/errors-openrouter.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const KEY = 'sk-secret-0123456789';
const scrub = (text: string) => text.replaceAll(KEY, '[key]');
const tools = { scrub, nowMs: NOW };
const inStream = (error: unknown) => failureOfWire(readError(error), 'vendor', tools);

interface Answer {
  status: number;
  body: object | string;
  headers?: Record<string, string>;
}

function of({ status, body, headers = {} }: Answer) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return failureOfAnswer({ status, headers, body: text }, 'vendor', tools);
}

const saying = (status: number, message: string): Answer => ({
  status,
  body: { error: { message } },
});

const VENDORS = {
  anthropic: anthropicError,
  openai: openaiError,
  compatible: compatibleError,
  google: googleError,
  openrouter: openrouterError,
};
type Vendor = keyof typeof VENDORS;

function answerOf(vendor: Vendor, kind: ErrorKind): Answer {
  const context: ErrorContext = { kind, model: 'some-model', key: KEY, requestId: 'req_1' };
  return VENDORS[vendor](context);
}

const EVERYWHERE: [ErrorKind, FailureKind][] = [
  ['bad-request', 'bad_request'],
  ['bad-key', 'auth'],
  ['forbidden', 'permission'],
  ['no-model', 'model_not_found'],
  ['context-length', 'context_length'],
  ['rate-limit', 'rate_limit'],
  ['server-error', 'upstream'],
  ['gateway-timeout', 'upstream'],
  ['overloaded', 'overloaded'],
];

const SOMEWHERE: [Vendor, ErrorKind, FailureKind][] = [
  ['anthropic', 'billing', 'billing'],
  ['anthropic', 'billing-in-disguise', 'billing'],
  ['anthropic', 'too-large', 'context_length'],
  ['anthropic', 'request-timeout', 'upstream'],
  ['anthropic', 'unavailable', 'upstream'],
  ['openai', 'billing-in-disguise', 'billing'],
  ['openai', 'too-large', 'context_length'],
  ['openai', 'unavailable', 'overloaded'],
  ['compatible', 'billing', 'billing'],
  ['compatible', 'too-large', 'context_length'],
  ['openrouter', 'billing', 'billing'],
  ['openrouter', 'moderation', 'refused'],
  ['openrouter', 'request-timeout', 'upstream'],
  ['google', 'no-key', 'permission'],
];

const RETRIED: ReadonlySet<FailureKind> = new Set([
  'rate_limit',
  'overloaded',
  'upstream',
  'network',
  'interrupted',
  'protocol',
  'timeout',
]);

const answers = [
  ...(Object.keys(VENDORS) as Vendor[]).flatMap((vendor) =>
    EVERYWHERE.map(([kind, expected]) => [vendor, kind, expected] as const),
  ),
  ...SOMEWHERE,
];

describe('an answer with an error status', () => {
  it.each(answers)('of %s, %s, is the kind %s', (vendor, kind, expected) => {
    expect(of(answerOf(vendor, kind))).toMatchObject({
      kind: expected,
      retryable: RETRIED.has(expected),
    });
  });

  it.each([
    [408, 'upstream'],
    [409, 'upstream'],
    [418, 'bad_request'],
    [422, 'bad_request'],
    [500, 'upstream'],
    [502, 'upstream'],
    [503, 'upstream'],
    [504, 'upstream'],
    [529, 'overloaded'],
  ])('of %i that says nothing more is the kind %s', (status, kind) => {
    expect(of({ status, body: '<html>proxy</html>' }).kind).toBe(kind);
  });

  it('that speaks of billing but means a limit of Google is waited for', () => {
    const answer = answerOf('google', 'rate-limit');
    expect(JSON.stringify(answer.body)).toContain('billing');
    expect(of(answer)).toMatchObject({ kind: 'rate_limit', retryable: true });
  });

  it('is never judged by what the prompt says', () => {
    expect(of({ status: 400, body: '{}' }).kind).toBe('bad_request');
  });

  it.each(['You passed 33015 input tokens. The context length is only 32768 tokens.'])(
    'of vLLM, "%s", is a prompt that is too long',
    (message) => {
      expect(of({ status: 400, body: { error: { message } } }).kind).toBe('context_length');
    },
  );
});

describe('an error inside a stream', () => {
  it.each<[string, object, FailureKind]>([
    ['Anthropic', { type: 'overloaded_error', message: 'Overloaded' }, 'overloaded'],
    ['Anthropic', { type: 'api_error', message: 'Internal' }, 'upstream'],
    ['Anthropic', { type: 'rate_limit_error', message: 'Slow down' }, 'rate_limit'],
    ['Anthropic', { type: 'authentication_error', message: 'Bad key' }, 'auth'],
    ['Anthropic', { type: 'billing_error', message: 'No money' }, 'billing'],
    ['Anthropic', { type: 'permission_error', message: 'No' }, 'permission'],
    ['Anthropic', { type: 'not_found_error', message: 'model: x' }, 'model_not_found'],
    ['Anthropic', { type: 'request_too_large', message: 'Too large' }, 'context_length'],
    ['Anthropic', { type: 'timeout_error', message: 'Late' }, 'upstream'],
    ['Anthropic', { type: 'invalid_request_error', message: 'No' }, 'bad_request'],
    [
      'Anthropic',
      { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
      'context_length',
    ],
    ['OpenAI', { type: 'error', code: 'server_error', message: 'Sorry' }, 'upstream'],
    ['OpenAI', { type: 'error', code: 'rate_limit_exceeded', message: 'Slow' }, 'rate_limit'],
    [
      'OpenAI',
      { type: 'error', code: 'server_is_overloaded', message: 'overloaded' },
      'overloaded',
    ],
    ['OpenAI', { type: 'error', code: 'context_length_exceeded', message: 'No' }, 'context_length'],
    ['OpenAI', { type: 'error', code: 'insufficient_quota', message: 'Exceeded' }, 'billing'],
    [
      'OpenAI, where only a field of its own names the reason',
      { message: 'Exceeded', code: 429, param: 'insufficient_quota' },
      'billing',
    ],
    ['vLLM', { type: 'server_error', code: 500, message: 'EngineCore' }, 'upstream'],
    ['vLLM', { type: 'BadRequestError', code: 400, message: 'No' }, 'bad_request'],
    [
      'Google',
      { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' },
      'overloaded',
    ],
    ['Google', { status: 'INTERNAL', message: 'Oh' }, 'upstream'],
    ['Google', { status: 'RESOURCE_EXHAUSTED', message: 'Oh' }, 'rate_limit'],
    ['OpenRouter', { code: 502, message: 'Provider disconnected' }, 'upstream'],
    ['OpenRouter', { code: 429, message: 'Rate limit exceeded' }, 'rate_limit'],
    ['OpenRouter', { code: '402', message: 'Insufficient credits' }, 'billing'],
    ['OpenRouter', { code: 'server_error', message: 'Oh' }, 'upstream'],
    ['a vendor with a reason of its own', { message: 'The mill pond is dry' }, 'upstream'],
    ['a vendor with an odd type', { type: 'constructor', message: 'Odd' }, 'upstream'],
  ])('of %s, %j, is the kind %s', (_vendor, error, kind) => {
    expect(inStream(error)).toMatchObject({ kind, retryable: RETRIED.has(kind) });
  });

  it("keeps the wait that is named in Google's frame", () => {
    const details = [{ retryDelay: '3s' }];
    const failed = inStream({ code: 429, message: 'Resource exhausted', details });
    expect(failed).toMatchObject({ kind: 'rate_limit', retryAfterMs: 3000 });
  });

  it("has the words of the vendor behind OpenRouter's", () => {
    const raw = JSON.stringify({ error: { message: 'The mill pond is dry' } });
    const metadata = { provider_name: 'Mill', raw };
    const { message } = inStream({ code: 502, message: 'Provider returned error', metadata });
    expect(message).toBe('vendor (502): [Mill] The mill pond is dry');
    const plain = inStream({ code: 502, message: 'Oh', metadata: { provider_name: 'Mill' } });
    expect(plain.message).toBe('vendor (502): [Mill] Oh');
  });

  it('that cannot be read is a breach of the protocol, in words of our own', () => {
    expect(failureOfWire(unreadable('odd'), 'vendor', tools)).toMatchObject({
      kind: 'protocol',
      message: 'vendor: the answer could not be read',
      retryable: true,
    });
  });

  it.each([undefined, null, 'gone', 7, {}, []])('does not stumble over %j', (odd) => {
    expect(inStream(odd).kind).toBe('upstream');
    expect(inStream(odd).message).toMatch(/^vendor: ./);
  });
});

describe('the message of a failure', () => {
  it('names the vendor and the status', () => {
    expect(of(saying(404, 'model: x')).message).toBe('vendor (404): model: x');
  });

  it.each([
    ['an object', { error: { message: 'model: x' } }],
    ['a list', [{ error: { message: 'model: x' } }]],
    ['a text', { error: 'model: x' }],
    ['a field of its own', { detail: 'model: x' }],
  ])('has what the vendor says in %s', (_form, body) => {
    expect(of({ status: 404, body }).message).toBe('vendor (404): model: x');
  });

  it('hides the key', () => {
    const { message } = of(saying(400, `Odd header: ${KEY}`));
    expect(message).toBe('vendor (400): Odd header: [key]');
  });

  it('does not repeat what a vendor says about a key: some show both ends of it', () => {
    const shown = 'Incorrect API key provided: sk-secre********6789.';
    expect(of(saying(401, shown)).message).not.toContain('sk-');
  });

  it('hides the key before it is cut short', () => {
    const text = `${'x'.repeat(290)}${KEY}`;
    expect(of(saying(400, text)).message).not.toContain('sk-secret');
  });

  it('is kept short', () => {
    const { message } = of(saying(500, 'x'.repeat(10_000)));
    expect(message.length).toBeLessThan(400);
  });

  it('says the kind when the vendor said nothing', () => {
    expect(of({ status: 429, body: '{}' }).message).toBe('vendor (429): rate limit');
    expect(of({ status: 502, body: '<html>' }).message).toBe('vendor (502): upstream');
  });

  it('can be made without an error, and knows then too whether to try again', () => {
    expect(failure('interrupted', 'vendor', 'broke off')).toEqual({
      kind: 'interrupted',
      message: 'vendor: broke off',
      retryable: true,
    });
    expect(failure('refused', 'vendor', 'declined').retryable).toBe(false);
  });
});

describe('the wait that a vendor asks for', () => {
  it.each<[string, Record<string, string>, string, number | undefined]>([
    ['in seconds', { 'retry-after': '2' }, '', 2000],
    ['in parts of a second', { 'retry-after': '0.5' }, '', 500],
    ['as a date', { 'retry-after': 'Sun, 15 Nov 2026 12:00:30 GMT' }, '', 30_000],
    ['as a date that has passed', { 'retry-after': 'Sun, 15 Nov 2026 11:00:00 GMT' }, '', 0],
    ['in milliseconds', { 'retry-after-ms': '1500' }, '', 1500],
    [
      'twice, where the finer one counts',
      { 'retry-after-ms': '1500', 'retry-after': '2' },
      '',
      1500,
    ],
    ['in the body of Gemini', {}, '{"details":[{"retryDelay": "34s"}]}', 34_000],
    ['in parts of a second by Gemini', {}, '{"retryDelay":"1.25s"}', 1250],
    ['in the header rather than in the body', { 'retry-after': '1' }, '{"retryDelay":"9s"}', 1000],
    ['in words that nobody understands', { 'retry-after': 'soon' }, '', undefined],
    ['in such words, with a body', { 'retry-after': 'soon' }, '{"retryDelay":"9s"}', 9000],
    ['as a negative time', { 'retry-after-ms': '-5' }, '', undefined],
    ['as nothing', { 'retry-after-ms': '' }, '', undefined],
    ['not at all', {}, '{}', undefined],
  ])('%s', (_how, headers, body, expected) => {
    expect(retryAfterMs(headers, body, NOW)).toBe(expected);
  });

  it('is part of the failure', () => {
    const answer = { ...answerOf('openai', 'rate-limit'), headers: { 'retry-after': '7' } };
    expect(of(answer).retryAfterMs).toBe(7000);
    expect(of(answerOf('openai', 'rate-limit'))).not.toHaveProperty('retryAfterMs');
  });
});

it.each([
  [
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
    16_384,
  ],
  [
    'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
    64_000,
  ],
  [
    'Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive).',
    65_536,
  ],
  ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8192],
  [
    '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
    8192,
  ],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 17384 tokens (1000 in the messages, 16384 in the completion).",
    7192,
  ],
  [
    "'max_tokens' is too large: 16384. This model's maximum context length is 8192 tokens and your request has 1000 input tokens (16384 > 8192 - 1000).",
    7192,
  ],
  [
    "This endpoint's maximum context length is 204800 tokens. However, you requested about 205432 tokens (81684 of text input, 3748 of tool input, 120000 in the output). Please reduce the length of either one.",
    119_368,
  ],
  [
    'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
    21_041,
  ],
  [
    'The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead.',
    12_288,
  ],
  ['Range of max_tokens should be [1, 8192]', 8192],
  [
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 1000 `inputs` tokens and 8000 `max_new_tokens`',
    3096,
  ],
  [
    "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion).",
    undefined,
  ],
  [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens.",
    undefined,
  ],
  ['the request exceeds the available context size, try increasing it', undefined],
  ['prompt is too long: 250000 tokens > 200000 maximum', undefined],
  ['temperature must be at most 1', undefined],
])('the longest answer that a refusal names: %s', (message, limit) => {
  expect(outputLimitIn(message)?.tokens).toBe(limit);
});

it('the room that a prompt leaves is counted once, however often the refusal repeats it', () => {
  const message =
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (1000 in the messages, 8000 in the completion).";
  expect(outputLimitIn(`${message} ${JSON.stringify({ error: { message } })}`)).toEqual({
    tokens: 7192,
    of: 'context',
  });
});

it.each([
  [500, { error: { code: 500, message: 'the request exceeds the available context size.' } }],
  [
    400,
    {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length.',
    },
  ],
])('a prompt that a local server has no room for is not sent again: %i', (status, body) => {
  expect(of({ status, body })).toMatchObject({ kind: 'context_length', retryable: false });
});
