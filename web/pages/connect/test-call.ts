// One real call through the model endpoint, in the protocol of a vendor, as a client of that vendor makes it.
import { listJobs } from '../../api/jobs.ts';

export const VENDORS = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
  openrouter: 'OpenRouter',
} as const;
export type Vendor = keyof typeof VENDORS;

export interface TestResult {
  status: number;
  latencyMs: number;
  /** What the model said; undefined after an error. */
  text: string | undefined;
  /** As the endpoint or the vendor says it. */
  error: string | undefined;
  /** Not every refusal has one. */
  jobId: string | undefined;
}

interface Request {
  path: string;
  headers: Record<string, string>;
  body: object;
}

const PROMPT = 'Say hello in one short sentence.';
const MOST_TOKENS = 200;

function requestOf(vendor: Vendor, model: string, key: string): Request {
  const messages = [{ role: 'user', content: PROMPT }];
  switch (vendor) {
    case 'anthropic':
      return {
        path: '/model/anthropic/v1/messages',
        headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
        body: { model, max_tokens: MOST_TOKENS, messages },
      };
    case 'google':
      return {
        path: `/model/google/v1beta/models/${encodeURIComponent(model)}:generateContent`,
        headers: { 'x-goog-api-key': key },
        body: {
          contents: [{ role: 'user', parts: [{ text: PROMPT }] }],
          generationConfig: { maxOutputTokens: MOST_TOKENS },
        },
      };
    case 'openai':
      return {
        path: '/model/openai/v1/responses',
        headers: { authorization: `Bearer ${key}` },
        body: { model, input: PROMPT, max_output_tokens: MOST_TOKENS },
      };
    case 'openrouter':
      return {
        path: '/model/openrouter/v1/chat/completions',
        headers: { authorization: `Bearer ${key}` },
        body: { model, messages, max_tokens: MOST_TOKENS },
      };
  }
}

const partOf = (value: unknown, name: string | number): unknown =>
  (value as Record<string | number, unknown> | null | undefined)?.[name];

/** Every text in the answer, whatever the protocol calls the place. */
function textIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(textIn).join('');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([name, part]) => {
      const isText = name === 'text' || (name === 'content' && typeof part === 'string');
      return isText && typeof part === 'string' ? part : textIn(part);
    })
    .join('');
}

function errorIn(body: unknown, text: string): string {
  const error = partOf(Array.isArray(body) ? body[0] : body, 'error');
  const message = typeof error === 'string' ? error : partOf(error, 'message');
  if (typeof message === 'string' && message !== '') return message;
  return text.trim() === '' ? 'The answer is empty.' : text.slice(0, 1000);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The answer does not name its job: it is the one new call of this model. Undefined where there are several, or none
 * because the key acts in another team.
 */
async function findCall(before: string, model: string): Promise<string | undefined> {
  // The call itself is over: a list that cannot be read must not hide its result.
  const { items } = await listJobs({ kind: 'call', model, limit: 5 }).catch(() => ({ items: [] }));
  const fresh = items.filter(({ jobId }) => jobId > before);
  return fresh.length === 1 ? fresh[0]!.jobId : undefined;
}

export async function testCall(vendor: Vendor, model: string, key: string): Promise<TestResult> {
  const before = (await listJobs({ kind: 'call', limit: 1 })).items[0]?.jobId ?? '';
  const { path, headers, body } = requestOf(vendor, model, key);
  const startedAt = performance.now();
  const response = await fetch(path, {
    method: 'POST',
    // The key alone decides who calls.
    credentials: 'omit',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const latencyMs = performance.now() - startedAt;
  const answer = parsed(text);
  const isFine = response.ok && answer !== undefined;
  return {
    status: response.status,
    latencyMs,
    text: isFine ? textIn(partOf(answer, 'content') ?? answer).trim() : undefined,
    error: isFine ? undefined : errorIn(answer, text),
    jobId: await findCall(before, model),
  };
}
