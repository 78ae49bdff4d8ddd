// Body of GET /api/v1/prices: what models cost here.
import { z } from 'zod';

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
