import type { Options } from './options.ts';
import type { Vendor } from './vendors.ts';
import type { ErrorKind } from './error-kinds.ts';

/** What happens to the connection or the stream; played in stream-faults.ts. */
export type Act =
  | 'hang-before-headers'
  | 'hang-before-first-chunk'
  | 'hang-mid-stream'
  | 'reset-before-headers'
  | 'reset-after-headers'
  | 'reset-mid-stream'
  | 'cut-mid-stream'
  | 'early-end'
  | 'half-json'
  | 'bad-json'
  | 'bad-shape'
  | 'garbage'
  | 'html-200'
  | 'empty-200'
  | 'error-200'
  | 'huge-line'
  | 'slow-drip'
  | 'error-event'
  | 'redirect'
  | 'gzip'
  | 'concurrency';

export interface Fault {
  /** The vendors that do this; all when absent. */
  on?: readonly Vendor[];
  meaning: string;
  /** Answers with this error of the vendor instead of a stream. */
  error?: ErrorKind;
  act?: Act;
  /** Answers as usual but for these. */
  options?: Options;
}

const NOT_GOOGLE = ['anthropic', 'openai', 'compatible', 'openrouter'] as const;

const TABLE = {
  'http-400': { error: 'bad-request', meaning: 'the request is refused' },
  'http-401': { error: 'bad-key', meaning: 'the key is refused (Google: 400 API_KEY_INVALID)' },
  'http-402-billing': {
    error: 'billing',
    on: ['anthropic', 'compatible', 'openrouter'],
    meaning: 'no credit left, said with 402',
  },
  'billing-in-disguise': {
    error: 'billing-in-disguise',
    on: ['anthropic', 'openai'],
    meaning: 'no credit left, said with 400 (Anthropic) or 429 (OpenAI)',
  },
  'http-403': { error: 'forbidden', meaning: 'the key may not do this' },
  'http-403-moderation': {
    error: 'moderation',
    on: ['openrouter'],
    meaning: 'the prompt was flagged',
  },
  'http-404': { error: 'no-model', meaning: 'there is no such model' },
  'http-408': { error: 'request-timeout', on: NOT_GOOGLE, meaning: 'the vendor timed out' },
  'http-413': { error: 'too-large', on: NOT_GOOGLE, meaning: 'the body is too large' },
  'context-length': { error: 'context-length', meaning: 'the prompt is longer than the window' },
  'http-429': { error: 'rate-limit', meaning: '429 with retry-after in seconds' },
  'http-429-ms': { error: 'rate-limit-ms', meaning: '429 with retry-after-ms only' },
  'http-429-date': { error: 'rate-limit-date', meaning: '429 with retry-after as a date' },
  'http-429-plain': { error: 'rate-limit-plain', meaning: '429 without any wait' },
  'http-429-body': {
    error: 'rate-limit-body',
    on: ['google'],
    meaning: '429 with the wait as retryDelay in the body only',
  },
  'tier-unavailable': {
    error: 'tier-unavailable',
    on: ['openai', 'compatible', 'google'],
    meaning: 'no room at the tier of the call (Google: 503)',
  },
  'http-500': { error: 'server-error', meaning: 'internal error' },
  'http-502-html': { error: 'bad-gateway', meaning: '502 with a web page of a proxy' },
  'http-503': { error: 'unavailable', meaning: 'temporarily unavailable' },
  'http-504': { error: 'gateway-timeout', meaning: 'the vendor gave up on its own model' },
  'http-529': {
    error: 'overloaded',
    on: ['anthropic', 'compatible', 'openrouter'],
    meaning: 'overloaded',
  },
  'hang-before-headers': { act: 'hang-before-headers', meaning: 'never answers' },
  'hang-before-first-chunk': {
    act: 'hang-before-first-chunk',
    meaning: 'sends the headers and then nothing',
  },
  'hang-mid-stream': { act: 'hang-mid-stream', meaning: 'falls silent after some text' },
  'reset-before-headers': {
    act: 'reset-before-headers',
    meaning: 'resets the connection before the first byte',
  },
  'reset-after-headers': {
    act: 'reset-after-headers',
    meaning: 'resets the connection after the headers',
  },
  'reset-mid-stream': { act: 'reset-mid-stream', meaning: 'resets after some text' },
  'cut-mid-stream': {
    act: 'cut-mid-stream',
    meaning: 'closes the connection after some text, inside the body',
  },
  'early-end': { act: 'early-end', meaning: 'ends cleanly after some text, without a finish' },
  'half-json': { act: 'half-json', meaning: 'ends cleanly in the middle of an event' },
  'bad-json': { act: 'bad-json', meaning: 'one event is no JSON; the rest is fine' },
  'bad-shape': { act: 'bad-shape', meaning: 'one event has wrong fields; the rest is fine' },
  garbage: {
    act: 'garbage',
    meaning: 'lines between the events that a reader of SSE has to skip',
  },
  'unknown-events': {
    options: { unknown: 2 },
    meaning: 'events of a type that no client knows',
  },
  'html-200': { act: 'html-200', meaning: '200 with a web page' },
  'empty-200': { act: 'empty-200', meaning: '200 with an event stream without a byte' },
  'error-200': {
    act: 'error-200',
    on: ['compatible', 'openrouter'],
    meaning: '200 with an error as JSON instead of a stream',
  },
  'huge-line': { act: 'huge-line', meaning: 'one event of 10 MB' },
  'slow-drip': { act: 'slow-drip', meaning: 'every byte in a packet of its own' },
  'error-event': { act: 'error-event', meaning: 'an error inside the stream after some text' },
  'usage-missing': { options: { usage: 'missing' }, meaning: 'no usage at all' },
  'usage-wrong': { options: { usage: 'negative' }, meaning: 'negative usage' },
  length: { options: { stop: 'length' }, meaning: 'stops at the token limit' },
  refusal: { options: { stop: 'refusal' }, meaning: 'the model refuses' },
  'content-filter': { options: { stop: 'content-filter' }, meaning: 'a filter ends the answer' },
  'prompt-blocked': {
    options: { stop: 'blocked' },
    on: ['google'],
    meaning: 'the prompt is blocked: an answer without candidates',
  },
  redirect: { act: 'redirect', meaning: 'sends the client elsewhere' },
  gzip: { act: 'gzip', meaning: 'a compressed answer, otherwise fine' },
  concurrency: {
    act: 'concurrency',
    meaning: '429 with retry-after once a key has `limit` calls open',
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof TABLE;

export const FAULTS: ReadonlyMap<FaultName, Fault> = new Map(
  Object.entries(TABLE) as [FaultName, Fault][],
);

export function isFaultName(name: string): name is FaultName {
  return FAULTS.has(name as FaultName);
}

/** The fault as the vendor would play it, or why it cannot. */
export function faultOf(name: string, vendor: Vendor): Fault | string {
  if (!isFaultName(name)) {
    return `unknown fault "${name}"; known: ${[...FAULTS.keys()].join(', ')}`;
  }
  const fault = FAULTS.get(name) as Fault;
  if (fault.on && !fault.on.includes(vendor)) {
    return `${vendor} does not do "${name}"; only ${fault.on.join(', ')} do`;
  }
  return fault;
}
