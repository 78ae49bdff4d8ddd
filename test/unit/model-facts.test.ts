import { describe, expect, it } from 'vitest';
import { priceOf } from '../../src/domain/model/facts-price.ts';
import type { PricedUse } from '../../src/domain/model/facts-price.ts';
import { matchesGlob } from '../../src/domain/model/id-glob.ts';
import { ModelFactsError, parseFacts } from '../../src/domain/model/facts-schema.ts';
import type { ModelFacts } from '../../src/domain/model/facts-schema.ts';
import { SHIPPED_FACTS, factsOf, findFacts } from '../../src/domain/model/model-facts.ts';
import { PUBLIC_PROVIDERS } from '../../src/domain/model/model-routing.ts';
import { NO_USAGE } from '../../src/providers/provider.ts';

const usage = (fields: Partial<PricedUse['usage']>): PricedUse['usage'] => ({
  ...NO_USAGE,
  ...fields,
});

const SHORT = usage({ input: 10_000, cacheRead: 6_000, cacheWrite: 1_000, output: 2_000 });
/** Above every band. */
const LONG = usage({ input: 300_000, cacheRead: 200_000, cacheWrite: 10_000, output: 4_000 });
const TODAY = new Date('2026-11-18T12:00:00Z');

function shipped(provider: string, model: string): ModelFacts {
  const found = findFacts(SHIPPED_FACTS, provider, model);
  if (found === undefined) throw new Error(`No facts about ${provider} ${model}.`);
  return found;
}

/** A model that fits the schema, to change in one place. */
const model = (fields: object = {}) => ({
  ids: ['model-1'],
  name: 'Model 1',
  status: 'current',
  contextTokens: 100_000,
  maxOutputTokens: 8_000,
  prices: [{ input: 1, output: 2 }],
  refuses: [],
  reasoning: { kind: 'none' },
  serviceTiers: [],
  source: { url: 'https://example.com/models', read: '2026-11-18' },
  ...fields,
});
const file = (...models: object[]) => ({ provider: 'openai', models });

describe('the shipped facts', () => {
  it('have a file for each provider', () => {
    expect(SHIPPED_FACTS.map(({ provider }) => provider).toSorted()).toEqual(
      PUBLIC_PROVIDERS.toSorted(),
    );
  });

  it('have the form that a newer file must have', () => {
    for (const facts of SHIPPED_FACTS) expect(parseFacts(facts)).toEqual(facts);
  });

  it('are found by an id as people write it', () => {
    expect(factsOf('claude-opus-5-5')?.name).toBe('Claude Opus 5.5');
    expect(factsOf('openai:gpt-6-luna')?.name).toBe(factsOf('gpt-6-luna')?.name);
    expect(factsOf('anthropic/claude-opus-5.5')?.name).toBe('Claude Opus 5.5');
    expect(factsOf('nothing-like-it')).toBeUndefined();
  });

  it('know the price, the window and the source of every model', () => {
    const models = SHIPPED_FACTS.flatMap((facts) => facts.models);
    expect(models.length).toBeGreaterThan(60);
    for (const { name, contextTokens, maxOutputTokens, prices, source } of models) {
      expect(contextTokens, name).toBeGreaterThan(0);
      expect(maxOutputTokens, name).toBeLessThanOrEqual(contextTokens ?? 0);
      expect(prices.length, name).toBeGreaterThan(0);
      expect(source.read >= (source.dated ?? ''), name).toBe(true);
    }
  });

  it('find each of their own ids', () => {
    for (const { provider, models } of SHIPPED_FACTS) {
      for (const { ids, name } of models) {
        const found = ids.map((id) =>
          findFacts(SHIPPED_FACTS, provider, id.replace('*', '26-01-01')),
        );
        expect(found.map((each) => each?.name)).toEqual(ids.map(() => name));
      }
    }
  });

  it('charge more for a longer prompt, and never more for reading the cache than for input', () => {
    for (const { prices, name } of SHIPPED_FACTS.flatMap((facts) => facts.models)) {
      for (const price of prices) {
        const all = [price, ...(price.bands ?? [])];
        for (const [index, { input, cacheRead = 0 }] of all.entries()) {
          expect(input, name).toBeGreaterThan(all[index - 1]?.input ?? 0);
          expect(cacheRead, name).toBeLessThan(input);
        }
      }
    }
  });
});

describe('the lookup of a model', () => {
  const facts = [
    parseFacts(
      file(
        model({ ids: ['gpt-5*'], name: 'short glob' }),
        model({ ids: ['gpt-5.6-*'], name: 'long glob' }),
        model({ ids: ['gpt-5.6-sol'], name: 'exact' }),
      ),
    ),
    parseFacts({
      provider: 'anthropic',
      models: [model({ ids: ['claude-opus-5-5'], name: 'with dashes' })],
    }),
    parseFacts({
      provider: 'openrouter',
      models: [model({ ids: ['openai/gpt-5.6-luna'], name: 'own' })],
    }),
  ];
  it.each([
    ['openai', 'gpt-5.6-sol', 'exact'],
    ['openai', 'GPT-5.6-Sol', 'exact'],
    ['openai', 'gpt-5.6-terra', 'long glob'],
    ['openai', 'gpt-5', 'short glob'],
    ['openai', 'openai/gpt-5.6-sol', 'exact'],
    ['openai', 'openai:gpt-5.6-sol', 'exact'],
    ['openrouter', 'openai/gpt-5.6-sol', 'exact'],
    ['openrouter', 'openai/gpt-5.6-luna', 'own'],
    ['openrouter', 'anthropic/claude-opus-5.5', 'with dashes'],
    ['anthropic', 'claude-opus-5.5', 'with dashes'],
    ['anthropic', 'claude-opus-5-5', 'with dashes'],
  ])('of %s finds %s: %s', (provider, id, name) => {
    expect(findFacts(facts, provider, id)?.name).toBe(name);
  });

  it.each([
    ['openai', 'o9'],
    ['openai', 'claude-opus-5-5'],
    // A server of a user's own may well have models of such names.
    ['openai', 'anthropic/claude-opus-5-5'],
    // A free variant does not cost what the model costs.
    ['openrouter', 'anthropic/claude-opus-5.5:free'],
    ['openrouter', 'other/claude-opus-5.5'],
    ['simulator', 'gpt-5'],
    ['openai', ''],
    ['anthropic', 'claude-*'],
    ['openai', `gpt-5${'x'.repeat(200)}`],
  ])('of %s does not know %s', (provider, id) => {
    expect(findFacts(facts, provider, id)).toBeUndefined();
  });

  it('reads the names that Google gives its models', () => {
    expect(shipped('google', 'models/gemini-3.8-flash').name).toBe('Gemini 3.8 Flash');
  });

  it.each([
    ['a*', 'a', true],
    ['a*', 'ab', true],
    ['*b', 'ab', true],
    ['a*c*e', 'abcde', true],
    ['a*bc*c', 'abc', false],
    ['a*a', 'a', false],
    ['a*c*e', 'abde', false],
    ['a.c', 'abc', false],
    ['abc', 'abc', true],
    ['abc', 'abcd', false],
  ])('matches %s with %s: %s', (glob, id, expected) => {
    expect(matchesGlob(glob, id)).toBe(expected);
  });

  it('matches the worst glob in the time of any other', () => {
    const began = performance.now();
    expect(matchesGlob('a*'.repeat(100) + 'b', 'a'.repeat(100_000))).toBe(false);
    expect(performance.now() - began).toBeLessThan(1000);
  });
});

describe('the price of a call', () => {
  const facts = parseFacts(
    file(
      model({
        serviceTiers: ['flex', 'batch', 'priority'],
        prices: [
          {
            input: 1,
            output: 10,
            cacheRead: 0.1,
            cacheWrite: 1.25,
            cacheWriteHour: 2,
            bands: [
              { aboveInputTokens: 100_000, input: 2, output: 15, cacheRead: 0.2 },
              { aboveInputTokens: 200_000, input: 4, output: 20 },
            ],
            tiers: {
              flex: { input: 0.5, output: 5, cacheRead: 0.06, upToInputTokens: 100_000 },
              batch: 0.5,
            },
          },
          { from: '2026-12-01', input: 3, output: 30 },
        ],
      }),
    ),
  ).models[0]!;
  const cost = (fields: Partial<PricedUse['usage']>, more: Partial<PricedUse> = {}) =>
    priceOf(facts.prices, { at: TODAY, usage: usage(fields), ...more });

  it.each([
    ['input and output', { input: 1_000_000 / 10, output: 100_000 }, 0.1 + 1],
    ['reads of the cache', { input: 50_000, cacheRead: 40_000 }, 0.01 + 0.004],
    ['writes to the cache', { input: 50_000, cacheWrite: 40_000 }, 0.01 + 0.05],
    [
      'what is kept for an hour',
      { input: 50_000, cacheWrite: 40_000, cacheWriteHour: 10_000 },
      0.01 + 0.0375 + 0.02,
    ],
    ['reasoning like other output', { output: 100_000, reasoning: 50_000 }, 1],
    ['the first band, the whole input', { input: 100_001 }, 0.200002],
    ['a band by what came from the cache, too', { input: 200_000, cacheRead: 150_000 }, 0.1 + 0.03],
    ['the last band', { input: 300_000, output: 1_000 }, 1.2 + 0.02],
    ['as input what has no price in its band', { input: 300_000, cacheRead: 100_000 }, 1.2],
  ])('charges %s', (_what, fields, dollars) => {
    expect(cost(fields)).toBeCloseTo(dollars, 12);
  });

  it('charges reasoning apart where it has a price', () => {
    const apart = { prices: [{ input: 1, output: 10, reasoning: 20 }] };
    const [thinker] = parseFacts(file(model(apart))).models;
    const used = usage({ output: 100_000, reasoning: 50_000 });
    expect(priceOf(thinker!.prices, { at: TODAY, usage: used })).toBeCloseTo(0.5 + 1, 12);
  });

  it('takes a factor of a tier of the band that the call is in', () => {
    expect(cost({ input: 50_000 }, { tier: 'batch' })).toBeCloseTo(0.025, 12);
    expect(cost({ input: 300_000 }, { tier: 'batch' })).toBeCloseTo(0.6, 12);
  });

  it('takes the prices that a tier has of its own', () => {
    const used = { input: 50_000, cacheRead: 40_000, output: 1_000 };
    expect(cost(used, { tier: 'flex' })).toBeCloseTo(0.005 + 0.0024 + 0.005, 12);
  });

  it('is unknown for a tier without a price, or for a prompt that the tier does not take', () => {
    expect(cost({ input: 50_000 }, { tier: 'priority' })).toBeNull();
    expect(cost({ input: 100_001 }, { tier: 'flex' })).toBeNull();
  });

  it('is that of the day of the call', () => {
    const at = (day: string) => cost({ input: 100_000 }, { at: new Date(day) });
    expect(at('2020-01-01')).toBeCloseTo(0.1, 12);
    expect(at('2026-11-30T23:59:59Z')).toBeCloseTo(0.1, 12);
    expect(at('2026-12-01T00:00:00Z')).toBeCloseTo(0.3, 12);
    expect(cost({ input: 1 }, { at: new Date('2026-12-02'), tier: 'batch' })).toBeNull();
  });

  it('is unknown before the first day that has a price', () => {
    const before = { at: new Date('2025-06-09'), usage: SHORT };
    expect(priceOf(shipped('openai', 'o3').prices, before)).toBeNull();
    expect(priceOf(shipped('openai', 'o3').prices, { ...before, at: TODAY })).not.toBeNull();
  });

  it.each([
    // As announced: $2/$10 until 2026-11-30, then $4/$20.
    ['google', 'gemini-4-argon', '2026-11-30', 2],
    ['google', 'gemini-4-argon', '2026-12-01', 4],
    // Half price until the end of the year.
    ['google', 'gemini-3.8-flash', '2026-12-31', 0.75],
    ['google', 'gemini-3.8-flash', '2027-01-01', 1.5],
    // Reduced on 2026-08-21.
    ['openai', 'gpt-5.6', '2026-08-20', 5],
    ['openai', 'gpt-5.6', '2026-08-21', 4],
  ])('of %s %s on %s is $%d for a million tokens of input', (provider, id, day, dollars) => {
    const price = { at: new Date(day), usage: usage({ input: 100_000 }) };
    expect(priceOf(shipped(provider, id).prices, price)).toBeCloseTo(dollars / 10, 12);
  });
});

/** Dollars for a million tokens, as published: input, cache read, cache write, output. */
type Published = readonly [number, number, number, number];
interface Row {
  short: Published;
  /** Where a prompt of 300,000 tokens costs more. */
  long?: Published;
  /** Of the service tiers: a share of the standard price, or a price of its own. None where no page offers the tier. */
  flex?: number | Published;
  batch?: number | Published;
  /** Where the tiers come from, with the day on which that was read. `unconfirmed`: the file itself is all there is. */
  tiersFrom?: string;
  from: string;
  assumed?: string;
}

// Written by hand from the pages named, and not from the files: a slip in one of the two shows. `assumed` says what no
// page gave. Google has no price of its own for what it writes to its cache. The tiers were
// looked up apart from the prices: where no page was found that names the model, `tiersFrom` says so, and the row then
// proves only that the tier is multiplied as the file has it.
const PUBLISHED: Record<string, Row> = {
  'claude-fable-5-2': {
    short: [8, 0.2, 10, 40],
    from: 'Anthropic release notes 2026-11-09; caching: LaoZhang 2026-11-10',
  },
  'claude-mythos-5-2': {
    short: [8, 0.2, 10, 40],
    from: 'Anthropic release notes 2026-11-09',
    assumed: 'caching as for Fable 5.2',
  },
  'claude-opus-5-5': {
    short: [4, 0.2, 5, 20],
    batch: 0.5,
    tiersFrom: 'NeverPayTwice on the batch page of Anthropic, read 2026-11-18',
    from: 'Anthropic model page',
  },
  'claude-sonnet-5-5': {
    short: [2, 0.1, 2.5, 10],
    batch: 0.5,
    tiersFrom: 'NeverPayTwice on the batch page of Anthropic, read 2026-11-18',
    from: 'Anthropic model page; cache reads: PromptFuel 2026-10-16',
  },
  'claude-haiku-5-5': {
    short: [0.1, 0.01, 0.125, 0.5],
    long: [0.5, 0.05, 0.625, 2.5],
    batch: 0.5,
    tiersFrom: 'NeverPayTwice on the batch page of Anthropic, read 2026-11-18',
    from: 'Anthropic model page; cache reads: Apidog 2026-10-08',
  },
  'gpt-6.2-astra': {
    short: [8, 0.4, 10, 40],
    long: [16, 0.8, 20, 60],
    from: 'LiteLLM discussion 52347',
    assumed: 'cache writes and long prompts by the rule of GPT-6',
  },
  'gpt-6.2-sol': {
    short: [2, 0.1, 2.5, 10],
    long: [4, 0.2, 5, 15],
    from: 'LiteLLM discussion 52347',
    assumed: 'all but input and output as for GPT-6.1 Sol',
  },
  'gpt-6.1-terra': {
    short: [1, 0.05, 1.25, 5],
    long: [2, 0.1, 2.5, 7.5],
    flex: 0.5,
    batch: 0.5,
    tiersFrom: 'LiteLLM on GPT-6.1 Terra, Apidog; cache writes: unconfirmed; read 2026-11-18',
    from: 'OpenAI list of models; caching and long prompts: Apidog',
  },
  'gpt-6-luna': {
    short: [0.1, 0.01, 0.125, 0.5],
    long: [0.2, 0.02, 0.25, 0.75],
    flex: 0.5,
    batch: 0.5,
    tiersFrom: 'unconfirmed; as for GPT-6.1 Terra',
    from: 'OpenAI list of models; caching and long prompts: CodexManager 2026-09-23',
  },
  'gemini-4-carbon': {
    short: [2, 0.1, 2, 10],
    from: 'LiteLLM discussion 50970, LaoZhang 2026-11-11',
  },
  'gemini-4-argon': {
    short: [2, 0.1, 2, 10],
    batch: 0.5,
    tiersFrom: 'Google on optimization (half price for all models), read 2026-11-18',
    from: 'Google latest model; cache reads: LiteLLM discussion 46238',
  },
  'gemini-3.8-flash': {
    short: [0.75, 0.075, 0.75, 3.75],
    flex: 0.5,
    batch: 0.5,
    tiersFrom: 'Google on optimization (half price for all models), read 2026-11-18',
    from: 'LiteLLM discussion 39357',
  },
  'gemini-3.5-flash-lite': {
    short: [0.3, 0.03, 0.3, 2.5],
    flex: [0.15, 0.02, 0.15, 1.25],
    batch: 0.5,
    tiersFrom: 'batch: Google on optimization, read 2026-11-18; flex: unconfirmed',
    from: 'Google what is new in 3.6; cache reads: LiteLLM 2026-08-08',
  },
};

describe('the prices of the current models', () => {
  const current = SHIPPED_FACTS.flatMap(({ provider, models }) =>
    models.filter(({ status }) => status === 'current').map((facts) => ({ provider, facts })),
  );
  const rows = current.map(({ provider, facts }) => {
    const published = PUBLISHED[facts.ids[0] ?? ''];
    const by = (
      prices: Published | undefined,
      { input, cacheRead, cacheWrite, output }: typeof SHORT,
    ) => {
      const [fresh, read, write, out] = prices ?? [NaN, NaN, NaN, NaN];
      const plain = input - cacheRead - cacheWrite;
      return (plain * fresh + cacheRead * read + cacheWrite * write + output * out) / 1_000_000;
    };
    const standard = { short: published?.short, long: published?.long ?? published?.short };
    const tierRow = (tier: 'flex' | 'batch', size: 'short' | 'long') => {
      const call = size === 'short' ? SHORT : LONG;
      const said = published?.[tier];
      const share = typeof said === 'number' ? said : 1;
      return {
        name: `${tier} ${size}`,
        charged: priceOf(facts.prices, { at: TODAY, usage: call, tier }),
        expected:
          said === undefined
            ? null
            : share * by(typeof said === 'number' ? standard[size] : said, call),
      };
    };
    return {
      provider,
      tiers: (['flex', 'batch'] as const).flatMap((tier) => [
        tierRow(tier, 'short'),
        tierRow(tier, 'long'),
      ]),
      model: facts.ids[0] ?? '',
      short: priceOf(facts.prices, { at: TODAY, usage: SHORT }),
      expectedShort: by(published?.short, SHORT),
      long: priceOf(facts.prices, { at: TODAY, usage: LONG }),
      expectedLong: by(published?.long ?? published?.short, LONG),
      from: published?.from,
      tiersFrom: published?.tiersFrom ?? '',
      assumed: published?.assumed ?? '',
    };
  });

  it('are written down here for every one of them', () => {
    expect(rows.map((row) => row.model).toSorted()).toEqual(Object.keys(PUBLISHED).toSorted());
    const line = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`;
    const dollars = (amount: number | null) => amount?.toFixed(6) ?? 'unknown';
    const table = rows.map((row) =>
      line([
        row.model,
        ...[row.short, row.expectedShort, row.long, row.expectedLong].map(dollars),
        ...row.tiers.flatMap(({ charged, expected }) => [dollars(charged), dollars(expected)]),
        row.from,
        row.tiersFrom,
        row.assumed,
      ]),
    );
    const tiers = rows[0]!.tiers.flatMap(({ name }) => [name, 'expected']);
    const head = [
      'model',
      'short',
      'expected',
      'long',
      'expected',
      ...tiers,
      'from',
      'tiers from',
      'assumed',
    ];
    console.log([line(head), line(head.map(() => '---')), ...table].join('\n'));
  });

  it.each(rows)('are what a call of $model is charged', (row) => {
    expect(row.short).toBeCloseTo(row.expectedShort, 12);
    expect(row.long).toBeCloseTo(row.expectedLong, 12);
    for (const { name, charged, expected } of row.tiers) {
      if (expected === null) expect(charged, name).toBeNull();
      else expect(charged, name).toBeCloseTo(expected, 12);
    }
  });
});

describe('a file that is not right', () => {
  const price = { input: 1, output: 2 };
  const band = (aboveInputTokens: number) => ({ aboveInputTokens, ...price });
  it.each([
    ['being a list', [], /at the top: Invalid input/],
    ['an unknown vendor', { provider: 'acme', models: [] }, /at provider: /],
    ['an unknown field', file(model({ colour: 'red' })), /at models\[0\]: .*"colour"/],
    ['a missing price', file(model({ prices: [] })), /at models\[0\]\.prices: /],
    [
      'a negative price',
      file(model({ prices: [{ input: -1, output: 2 }] })),
      /prices\[0\]\.input: /,
    ],
    [
      'bands that do not ascend',
      file(model({ prices: [{ ...price, bands: [band(200), band(200)] }] })),
      /at models\[0\]\.prices\[0\]\.bands\[1\]\.aboveInputTokens: bands must ascend\.$/,
    ],
    [
      'prices out of order',
      file(
        model({
          prices: [
            { ...price, from: '2026-02-01' },
            { ...price, from: '2026-01-01' },
          ],
        }),
      ),
      /at models\[0\]\.prices\[1\]\.from: prices must be sorted/,
    ],
    [
      'a second price without a day',
      file(model({ prices: [price, price] })),
      /prices\[1\]\.from: /,
    ],
    [
      'a day that is none',
      file(model({ prices: [{ ...price, from: '2026-02-30' }] })),
      /prices\[0\]\.from: Invalid ISO date\.$/,
    ],
    [
      'an id twice',
      file(model(), model({ ids: ['other', 'model-1'] })),
      /at models\[1\]\.ids\[1\]: the id model-1 is there twice\.$/,
    ],
    ['another pattern than stars', file(model({ ids: ['gpt-[56]'] })), /ids\[0\]: ids may have \*/],
    ['an id in capitals', file(model({ ids: ['GPT-5'] })), /ids\[0\]: ids are in lower case\.$/],
    ['a glob for everything', file(model({ ids: ['**'] })), /ids\[0\]: an id of stars/],
    ['an id too long', file(model({ ids: ['x'.repeat(201)] })), /ids\[0\]: Too big/],
    [
      'a price of a tier that the model does not have',
      file(model({ prices: [{ ...price, tiers: { flex: 0.5 } }] })),
      /prices\[0\]\.tiers\.flex: flex has a price/,
    ],
    [
      'values of a budget',
      file(model({ reasoning: { kind: 'budget', values: {} } })),
      /at models\[0\]\.reasoning: .*"values"/,
    ],
  ])('is refused for %s', (_why, content, sentence) => {
    expect(() => parseFacts(content)).toThrow(ModelFactsError);
    expect(() => parseFacts(content)).toThrow(sentence);
  });
});
