// What a call is taken to have used whose connection broke in the middle of its stream.
import { estimateTokenCount } from 'tokenx';
import { expect, it } from 'vitest';
import { loadPrices } from '../../src/providers/prices.ts';
import type { VendorHttp } from '../../src/providers/vendors/vendor-http.ts';
import { createVendor } from '../../src/providers/vendors/vendor.ts';

const CREATED = {
  type: 'response.created',
  response: { id: 'resp_1', created_at: 1, model: 'gpt-5.2', service_tier: null },
};
const THOUGHT = [
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'reasoning', id: 'rs_1', encrypted_content: null },
  },
  {
    type: 'response.reasoning_summary_text.delta',
    item_id: 'rs_1',
    summary_index: 0,
    delta: 'Let me look at the parser before anything else.',
  },
];

/** A stream of these events that ends as a broken connection does. */
function brokenAfter(events: readonly unknown[]): VendorHttp['send'] {
  async function* body() {
    for (const event of events) yield Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
    throw new Error('other side closed');
  }
  return async () => ({ status: 200, headers: {}, body: body() });
}

async function usageAfter(events: readonly unknown[]) {
  const provider = createVendor({
    endpoint: {
      provider: 'openai',
      baseUrl: 'http://127.0.0.1:1/v1',
      custom: false,
      http: { send: brokenAfter(events) },
    },
    prices: loadPrices(undefined),
    scrub: (text) => text,
    now: Date.now,
  });
  const outcome = await provider.run(
    {
      ownerId: 'user_1',
      streamId: 's',
      model: 'gpt-5.2',
      prompt: PROMPT,
      maxTokens: 100,
      apiKey: 'k',
      signal: new AbortController().signal,
    },
    () => undefined,
  );
  expect(outcome.kind).toBe('failed');
  return outcome.usage;
}

const PROMPT = 'Find out why the parser fails.';
const input = estimateTokenCount(PROMPT);

it('what the model thought aloud counts as output', async () => {
  const usage = await usageAfter([CREATED, ...THOUGHT]);
  expect(usage).toMatchObject({ input, estimated: true });
  expect(usage.output).toBe(estimateTokenCount(THOUGHT[1]!.delta));
});

it('a connection that broke before the model began costs nothing', async () => {
  expect(await usageAfter([CREATED])).toMatchObject({ input: 0, output: 0, estimated: false });
});
