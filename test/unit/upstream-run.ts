// Asks the simulated upstream as the model endpoint does, and reads its bytes as a client would.
import { createParser } from 'eventsource-parser';
import type { PublicProvider } from '../../src/domain/model/model-routing.ts';
import type { SimulatorClock } from '../../src/providers/simulator/clock.ts';
import { createSimulatedUpstream } from '../../src/providers/simulator/wire/simulated-upstream.ts';
import type { Upstream, UpstreamRequest } from '../../src/providers/upstream.ts';
import type { Protocol } from '../../src/providers/wire/protocol.ts';
import { fakeClock } from './simulator-run.ts';

export type Json = Record<string, unknown>;

export interface Received {
  status: number;
  headers: Map<string, string>;
  text: string;
  /** What broke the body off, if anything did. */
  error: unknown;
  /** Of a stream: `name` where the event has one. */
  events: { name: string | undefined; data: string }[];
  json: Json;
}

export interface Ask {
  protocol: Protocol;
  provider?: PublicProvider;
  body?: Json;
  isStream?: boolean;
  operation?: UpstreamRequest['operation'];
  model?: string;
  path?: string;
  ownerId?: string;
  signal?: AbortSignal;
  upstream?: Upstream;
  clock?: SimulatorClock;
}

const PATHS: Readonly<Record<Protocol, string>> = {
  anthropic: '/messages',
  chat: '/chat/completions',
  responses: '/responses',
  google: '/models/sim-instant:generateContent',
};
const STREAM_PATH = '/models/sim-instant:streamGenerateContent?alt=sse';

export function requestOf(ask: Ask): UpstreamRequest {
  const { protocol, body = {}, operation = 'generate' } = ask;
  const { model = 'sim-instant' } = ask;
  return {
    protocol,
    ...(ask.provider !== undefined && { provider: ask.provider }),
    operation,
    model: operation === 'models' ? undefined : model,
    isStream: ask.isStream ?? false,
    method: operation === 'models' ? 'GET' : 'POST',
    path: ask.path ?? (protocol === 'google' && ask.isStream ? STREAM_PATH : PATHS[protocol]),
    headers: [],
    body: Buffer.from(JSON.stringify(body)),
    readBody: () => JSON.parse(JSON.stringify(body)) as unknown,
    ownerId: ask.ownerId ?? 'owner',
    signal: ask.signal ?? new AbortController().signal,
  };
}

export function newUpstream(clock: SimulatorClock = fakeClock()): Upstream {
  return createSimulatedUpstream({ clock });
}

export async function ask(what: Ask): Promise<Received> {
  const upstream = what.upstream ?? newUpstream(what.clock);
  const answer = await upstream.send(requestOf(what));
  const chunks: Uint8Array[] = [];
  let error: unknown;
  try {
    for await (const chunk of answer.body) chunks.push(chunk);
  } catch (thrown) {
    error = thrown;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const headers = new Map<string, string>();
  for (let i = 0; i < answer.headers.length; i += 2) {
    headers.set(answer.headers[i]!, answer.headers[i + 1]!);
  }
  const events: Received['events'] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ name: event, data }) });
  parser.feed(text);
  return { status: answer.status, headers, text, error, events, json: parsed(text) };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

/** What a user says, as the body of each protocol. */
export function saying(protocol: Protocol, text: string, more: Json = {}): Json {
  switch (protocol) {
    case 'anthropic':
      return { max_tokens: 10_000, messages: [{ role: 'user', content: text }], ...more };
    case 'chat':
      return { messages: [{ role: 'user', content: text }], ...more };
    case 'responses':
      return { input: text, ...more };
    case 'google':
      return { contents: [{ role: 'user', parts: [{ text }] }], ...more };
  }
}

export const PROTOCOLS: readonly Protocol[] = ['anthropic', 'chat', 'responses', 'google'];

/** The text of an answer, whichever way it came. */
export function textIn(protocol: Protocol, received: Received): string {
  const data = received.events.flatMap(({ data }) => (data === '[DONE]' ? [] : [asAny(data)]));
  switch (protocol) {
    case 'anthropic':
      if (data.length === 0) return blocks(received.json['content']);
      return data.map((each) => each.delta?.text ?? '').join('');
    case 'chat':
      if (data.length === 0) return loose(received.json).choices[0].message.content ?? '';
      return data.map((each) => each.choices?.[0]?.delta.content ?? '').join('');
    case 'responses':
      if (data.length > 0) {
        const deltas = data.filter(({ type }) => type === 'response.output_text.delta');
        return deltas.map(({ delta }) => String(delta)).join('');
      }
      return (received.json['output'] as Json[]).map((item) => blocks(item['content'])).join('');
    case 'google':
      return (data.length > 0 ? data : [loose(received.json)])
        .flatMap((each) => each.candidates?.[0].content.parts ?? [])
        .map((part: { text?: string }) => part.text ?? '')
        .join('');
  }
}

function blocks(content: unknown): string {
  return ((content ?? []) as { text?: string }[]).map(({ text = '' }) => text).join('');
}

// oxlint-disable-next-line typescript/no-explicit-any -- deep in what a vendor sends: the tests say what must be there
export type Loose = any;
const asAny = (data: string): Loose => JSON.parse(data);
export const loose = (value: unknown) => value as Loose;
