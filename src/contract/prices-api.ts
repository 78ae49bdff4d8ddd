// Body of GET /api/v1/prices: what models cost here.
import { z } from 'zod';

const MOST_MODELS = 50;

/** Ids have no commas in them. */
export const PricesQuery = z.object({
  models: z
    .string()
    .max(10_000)
    .transform((text) => text.split(',').map((id) => id.trim()))
    .pipe(
      z
        .array(z.string().min(1, 'must be model ids with commas between them').max(200))
        .max(MOST_MODELS, `must be at most ${MOST_MODELS} models`),
    )
    .meta({
      description: `Model ids with commas between them, at most ${MOST_MODELS}`,
      example: 'claude-sonnet-5-5,sim-fast',
      type: 'string',
    }),
});

const perMillion = (of: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `Dollars per million ${of}; null if the price is not known` });

export const ModelPrice = z
  .object({
    model: z.string().meta({ description: 'As it was asked for' }),
    provider: z.string().nullable().meta({ description: 'null if the id does not say' }),
    inputUsd: perMillion('input tokens'),
    cachedInputUsd: perMillion('input tokens that the provider had cached'),
    outputUsd: perMillion('output tokens'),
  })
  .meta({ id: 'ModelPrice' });
export type ModelPrice = z.infer<typeof ModelPrice>;

export const ModelPrices = z
  .object({ items: z.array(ModelPrice).meta({ description: 'In the order of `models`' }) })
  .meta({ id: 'ModelPrices' });
