import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './answer.ts';
import { record } from './prompt-text.ts';
import type { Vendor } from './vendors.ts';
import { BASE_PATHS, VENDORS } from './vendors.ts';
import { anthropicWire } from './wire/anthropic.ts';
import { chatWire } from './wire/chat.ts';
import { geminiWire } from './wire/gemini.ts';
import { openrouterWire } from './wire/openrouter.ts';
import { responsesWire } from './wire/responses.ts';
import type { Wire } from './wire/wire.ts';

export type Endpoint =
  | { kind: 'generate'; wire: (answer: Answer) => Wire; required: readonly string[] }
  | { kind: 'models' }
  | { kind: 'key' };

const CHAT = ['model', 'messages'];

const POSTS: Readonly<Record<Vendor, Readonly<Record<string, Endpoint>>>> = {
  anthropic: {
    '/messages': {
      kind: 'generate',
      wire: anthropicWire,
      required: ['model', 'messages', 'max_tokens'],
    },
  },
  openai: {
    '/responses': { kind: 'generate', wire: responsesWire, required: ['model', 'input'] },
    '/chat/completions': { kind: 'generate', wire: chatWire, required: CHAT },
  },
  compatible: { '/chat/completions': { kind: 'generate', wire: chatWire, required: CHAT } },
  openrouter: { '/chat/completions': { kind: 'generate', wire: openrouterWire, required: CHAT } },
  google: {},
};

const GEMINI = /^\/models\/([^/]+):streamGenerateContent$/;

export function vendorOf(path: string): Vendor | undefined {
  return VENDORS.find((vendor) => path.startsWith(`${BASE_PATHS[vendor]}/`));
}

export function endpointOf(vendor: Vendor, method: string, path: string): Endpoint | undefined {
  const rest = path.slice(BASE_PATHS[vendor].length);
  if (method === 'GET') {
    if (rest === '/models') return { kind: 'models' };
    return vendor === 'openrouter' && rest === '/key' ? { kind: 'key' } : undefined;
  }
  if (method !== 'POST') return undefined;
  if (vendor === 'google' && GEMINI.test(rest)) {
    return { kind: 'generate', wire: geminiWire, required: ['contents'] };
  }
  return POSTS[vendor][rest];
}

/** The model that the request is for. */
export function modelOf(path: string, body: unknown): string {
  const named = GEMINI.exec(path.slice(BASE_PATHS.google.length))?.[1];
  if (named !== undefined && path.startsWith(BASE_PATHS.google)) return decodeURIComponent(named);
  const { model } = record(body);
  return typeof model === 'string' ? model : '';
}

/** The vendor's own complaint about a request that lacks something. */
export function requestProblem(
  request: { vendor: Vendor; headers: IncomingHttpHeaders; body: unknown },
  required: readonly string[],
): string | undefined {
  if (request.body === undefined) return 'We could not parse the JSON body of your request.';
  if (request.vendor === 'anthropic' && !request.headers['anthropic-version']) {
    return 'anthropic-version: header is required';
  }
  const missing = required.find((name) => record(request.body)[name] === undefined);
  return missing === undefined ? undefined : `${missing}: Field required`;
}

/** Whether the client asked for a stream: nothing else is played here. */
export function wantsStream(vendor: Vendor, url: URL, body: unknown): boolean {
  if (vendor === 'google') return url.searchParams.get('alt') === 'sse';
  return record(body).stream === true;
}
