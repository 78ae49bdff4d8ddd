// The plainest client of all vendors, for tests of the scripted server itself: fetch and a reader
// of server-sent events that follows the standard and nothing else.
import type { Vendor } from './vendors.ts';

export type Api = Vendor | 'openai-chat';

export const APIS: readonly Api[] = [
  'anthropic',
  'openai',
  'openai-chat',
  'compatible',
  'google',
  'openrouter',
];

export interface AskOptions {
  key?: string | null;
  maxTokens?: number;
  signal?: AbortSignal;
  redirect?: 'follow' | 'manual' | 'error';
}

export function vendorOfApi(api: Api): Vendor {
  return api === 'openai-chat' ? 'openai' : api;
}

export async function ask(
  origin: string,
  api: Api,
  prompt: string,
  options: AskOptions = {},
): Promise<Response> {
  const { key = 'sk-good-1234567890', maxTokens = 1000, signal, redirect } = options;
  const { path, body } = request(api, prompt, maxTokens);
  return fetch(origin + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      ...keyHeader(vendorOfApi(api), key),
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
    ...(redirect && { redirect }),
  });
}

export function keyHeader(vendor: Vendor, key: string | null): Record<string, string> {
  if (key === null) return {};
  if (vendor === 'anthropic') return { 'x-api-key': key };
  if (vendor === 'google') return { 'x-goog-api-key': key };
  return { authorization: `Bearer ${key}` };
}

function request(api: Api, prompt: string, max: number): { path: string; body: object } {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: prompt },
  ];
  const chat = { messages, stream: true, max_tokens: max, stream_options: { include_usage: true } };
  switch (api) {
    case 'anthropic':
      return {
        path: '/anthropic/v1/messages',
        body: {
          model: 'claude-sonnet-4-6',
          max_tokens: max,
          stream: true,
          system: [{ type: 'text', text: 'Be brief.' }],
          messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
        },
      };
    case 'openai':
      return {
        path: '/openai/v1/responses',
        body: {
          model: 'gpt-5.6',
          stream: true,
          max_output_tokens: max,
          input: [
            { role: 'developer', content: 'Be brief.' },
            { role: 'user', content: [{ type: 'input_text', text: prompt }] },
          ],
        },
      };
    case 'openai-chat':
      return { path: '/openai/v1/chat/completions', body: { model: 'gpt-5', ...chat } };
    case 'compatible':
      return { path: '/compatible/v1/chat/completions', body: { model: 'llama3.1:8b', ...chat } };
    case 'openrouter':
      return {
        path: '/openrouter/api/v1/chat/completions',
        body: { model: 'anthropic/claude-opus-5.5', ...chat },
      };
    case 'google':
      return {
        path: '/google/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
        body: {
          systemInstruction: { parts: [{ text: 'Be brief.' }] },
          contents: [{ role: 'user', parts: [{ text: prompt }] }],
          generationConfig: { maxOutputTokens: max },
        },
      };
  }
}

export interface PlainEvent {
  event: string;
  data: string;
}

/** The events of a body, as the standard cuts it; what has no blank line after it does not count. */
export function readEvents(body: string): PlainEvent[] {
  const events: PlainEvent[] = [];
  let event = '';
  let data: string[] = [];
  const lines = body.split(/\r\n|\r|\n/);
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      if (data.length > 0) events.push({ event, data: data.join('\n') });
      event = '';
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
  }
  return events;
}
