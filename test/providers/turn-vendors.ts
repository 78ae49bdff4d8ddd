// Vendors of all four formats at one scripted server, called as jobs call them.
import { afterAll, beforeAll } from 'vitest';
import type { AssistantMessage, Message, ToolSpec } from '../../src/contract/conversation-api.ts';
import { loadPrices } from '../../src/providers/prices.ts';
import type { Provider, ProviderOutcome, ProviderRequest } from '../../src/providers/provider.ts';
import { createVendor } from '../../src/providers/vendors/vendor.ts';
import { createVendorHttp } from '../../src/providers/vendors/vendor-http.ts';
import { startRawVendor } from '../support/raw-vendor.ts';
import type { RawVendor } from '../support/raw-vendor.ts';

/** `own`: chat completions of a server of the operator's own. */
export type Kind = 'anthropic' | 'responses' | 'google' | 'openrouter' | 'own';

export const TURN_MODELS: Record<Kind, string> = {
  anthropic: 'claude-opus-4-8',
  responses: 'gpt-5.2',
  google: 'gemini-3-pro-preview',
  openrouter: 'anthropic/claude-opus-4.8',
  own: 'qwen3:8b',
};

export const providerOf = (kind: Kind) =>
  kind === 'responses' || kind === 'own' ? ('openai' as const) : kind;

export interface Turn {
  messages: readonly Message[];
  tools?: readonly ToolSpec[];
  model?: string;
  more?: Partial<ProviderRequest>;
}

export type Completed = Extract<ProviderOutcome, { kind: 'completed' }> & { text: string };

export interface TurnVendors {
  vendor: RawVendor;
  provider(kind: Kind): Provider;
  /** One call; the body that the vendor got is `sent()`. */
  call(kind: Kind, turn: Turn): Promise<ProviderOutcome & { text: string }>;
  /** The same, of an answer that is whole. */
  completed(kind: Kind, turn: Turn): Promise<Completed>;
  /** Bodies that the vendor got, as text. */
  sent(): string[];
  stream(...answers: string[]): void;
}

export function useTurnVendors(): () => TurnVendors {
  let vendors: TurnVendors | undefined;
  const http = createVendorHttp();
  let vendor: RawVendor | undefined;
  beforeAll(async () => {
    vendor = await startRawVendor();
    vendors = vendorsAt(vendor, http);
  });
  afterAll(async () => {
    await http.close();
    await vendor?.close();
  });
  return () => vendors!;
}

function vendorsAt(vendor: RawVendor, http: ReturnType<typeof createVendorHttp>): TurnVendors {
  const provider = (kind: Kind) =>
    createVendor({
      endpoint: { provider: providerOf(kind), baseUrl: vendor.url, custom: kind === 'own', http },
      prices: loadPrices(undefined),
      scrub: (text) => text,
      now: Date.now,
    });
  const call: TurnVendors['call'] = async (kind, turn) => {
    let text = '';
    const request: ProviderRequest = {
      ownerId: 'user',
      streamId: 'loop',
      model: turn.model ?? TURN_MODELS[kind],
      prompt: 'unused',
      conversation: { messages: turn.messages, tools: turn.tools ?? [] },
      maxTokens: 8000,
      signal: new AbortController().signal,
      ...turn.more,
    };
    const outcome = await provider(kind).run(request, (delta) => (text += delta));
    return { ...outcome, text };
  };
  return {
    vendor,
    provider,
    call,
    async completed(kind, turn) {
      const outcome = await call(kind, turn);
      if (outcome.kind !== 'completed') throw new Error(JSON.stringify(outcome));
      return outcome;
    },
    sent: () => vendor.calls.map(({ body }) => body.toString()),
    stream: (...answers) =>
      vendor.answer(
        ...answers.map((text) => ({
          headers: { 'content-type': 'text/event-stream' },
          // In pieces that end anywhere.
          pieces: text.match(/[^]{1,700}/g) ?? [],
        })),
      ),
  };
}

/** The message that a caller gets of an answer. */
export function messageOf({ text, turn }: Completed): AssistantMessage {
  return { role: 'assistant', text, ...turn! };
}
