// The form of a file of facts about the models of one vendor (see model-facts).
import { z } from 'zod';
import { LONGEST_ID } from './id-glob.ts';
import { PUBLIC_PROVIDERS } from './model-routing.ts';

export const SERVICE_TIERS = ['flex', 'batch', 'priority'] as const;

/** What other languages of patterns mean something by, and ids of models never contain. */
const NOT_IN_IDS = ['?', '[', ']', '{', '}', '!', '\\', ' '];

const tokens = z.int().positive();
/** For a million tokens. */
const dollars = z.number().min(0);

/** What has no price of its own is charged like input, and like output where it is reasoning. */
const Rates = z.strictObject({
  input: dollars,
  output: dollars,
  cacheRead: dollars.optional(),
  /** Kept for as long as the vendor does unasked: five minutes, or thirty. */
  cacheWrite: dollars.optional(),
  cacheWriteHour: dollars.optional(),
  reasoning: dollars.optional(),
});
export type Rates = z.infer<typeof Rates>;

const Bands = z
  .array(Rates.extend({ aboveInputTokens: tokens }))
  .min(1)
  .superRefine((bands, context) => {
    for (const [index, band] of bands.entries()) {
      if (band.aboveInputTokens > (bands[index - 1]?.aboveInputTokens ?? 0)) continue;
      const message = 'bands must ascend';
      context.addIssue({ code: 'custom', path: [index, 'aboveInputTokens'], message });
    }
  });

const BandedRates = Rates.extend({
  /** Of the longest prompts: the whole call is charged by the band that its input is in. */
  bands: Bands.optional(),
});
export type BandedRates = z.infer<typeof BandedRates>;

/** A factor of the standard price, or a price of its own where the vendor lists one. */
const TierPrice = z.union([
  z.number().positive(),
  // Some vendors do not offer a tier for long prompts.
  BandedRates.extend({ upToInputTokens: tokens.optional() }),
]);

/** As an operator writes it: whatever counts now. */
export const UndatedPrice = BandedRates.extend({
  tiers: z
    .strictObject({
      flex: TierPrice.optional(),
      batch: TierPrice.optional(),
      priority: TierPrice.optional(),
    })
    .optional(),
});

const Price = UndatedPrice.extend({
  /** Without it, the price has always been valid. */
  from: z.iso.date().optional(),
});
export type Price = z.infer<typeof Price>;

const Prices = z
  .array(Price)
  .min(1)
  .superRefine((prices, context) => {
    for (const [index, { from }] of prices.entries()) {
      if (index === 0) continue;
      const before = prices[index - 1]?.from ?? '';
      if (from !== undefined && from > before) continue;
      const message = 'prices must be sorted by date, and only the first may have none';
      context.addIssue({ code: 'custom', path: [index, 'from'], message });
    }
  });

const Id = z
  .string()
  .min(1)
  .max(LONGEST_ID)
  .refine((id) => id === id.toLowerCase(), { error: 'ids are in lower case' })
  .refine((id) => !NOT_IN_IDS.some((character) => id.includes(character)), {
    error: 'ids may have * for any characters, and no other pattern or space',
  })
  .refine((id) => id.replaceAll('*', '') !== '', { error: 'an id of stars means every model' });

const Values = z.strictObject({ low: z.string(), medium: z.string(), high: z.string() });

const Reasoning = z.discriminatedUnion('kind', [
  z.strictObject({
    /** The parameter of the vendor that takes the values. */
    kind: z.enum(['effort', 'level']),
    /** Left out where it is not known which ones the model takes. */
    values: Values.optional(),
    default: z.string().optional(),
  }),
  /** A number of tokens. */
  z.strictObject({ kind: z.literal('budget') }),
  z.strictObject({ kind: z.literal('none') }),
]);

const Model = z
  .strictObject({
    ids: z.array(Id).min(1),
    name: z.string().min(1),
    /** Legacy: replaced by a newer one, but still answers. */
    status: z.enum(['current', 'legacy', 'retired']),
    /** Input and output together; before Gemini 4, Google counts input alone. */
    contextTokens: tokens.nullable(),
    maxOutputTokens: tokens.nullable(),
    /** What an answer may have when nobody says how much. */
    defaultOutputTokens: tokens.optional(),
    prices: Prices,
    /** What makes the vendor refuse a call. */
    refuses: z.array(z.enum(['temperature', 'topP', 'forcedToolChoice', 'thinkingOff'])),
    reasoning: Reasoning,
    serviceTiers: z.array(z.enum(SERVICE_TIERS)),
    source: z.strictObject({
      url: z.string().startsWith('https://'),
      read: z.iso.date(),
      /** Of the page itself. */
      dated: z.iso.date().optional(),
    }),
    note: z.string().min(1).max(300).optional(),
  })
  .superRefine(({ prices, serviceTiers }, context) => {
    for (const [index, { tiers = {} }] of prices.entries()) {
      for (const tier of SERVICE_TIERS) {
        if (tiers[tier] === undefined || serviceTiers.includes(tier)) continue;
        const message = `${tier} has a price, but is not one of serviceTiers`;
        context.addIssue({ code: 'custom', path: ['prices', index, 'tiers', tier], message });
      }
    }
  });
export type ModelFacts = z.infer<typeof Model>;

const ProviderFacts = z
  .strictObject({ provider: z.enum(PUBLIC_PROVIDERS), models: z.array(Model) })
  .superRefine(({ models }, context) => {
    const seen = new Set<string>();
    for (const [model, { ids }] of models.entries()) {
      for (const [index, id] of ids.entries()) {
        if (seen.has(id)) {
          const message = `the id ${id} is there twice`;
          context.addIssue({ code: 'custom', path: ['models', model, 'ids', index], message });
        }
        seen.add(id);
      }
    }
  });
/** A file of facts. */
export type ProviderFacts = z.infer<typeof ProviderFacts>;

export class ModelFactsError extends Error {
  override name = 'ModelFactsError';
}

/** Throws with a sentence that names the first place that is wrong. */
export function parseFacts(json: unknown): ProviderFacts {
  const parsed = ProviderFacts.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = z.core.toDotPath(issue?.path ?? []) || 'the top';
  throw new ModelFactsError(`The facts about models are not valid at ${place}: ${issue?.message}.`);
}
