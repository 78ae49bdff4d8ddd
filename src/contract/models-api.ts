// Body of GET /api/v1/models: how much models take in and give.
import { z } from 'zod';

const MOST_MODELS = 50;

/** Ids have no commas in them. */
export const ModelIdsQuery = z.object({
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

export const ModelLimits = z
  .object({
    model: z.string().meta({ description: 'As it was asked for' }),
    provider: z.string().nullable().meta({ description: 'null if the id does not say' }),
    contextTokens: z
      .number()
      .nullable()
      .meta({ description: 'Input and output tokens together; null if not known' }),
    maxOutputTokens: z
      .number()
      .nullable()
      .meta({ description: 'The longest answer; null if not known' }),
  })
  .meta({ id: 'ModelLimits' });
export type ModelLimits = z.infer<typeof ModelLimits>;

export const ModelLimitList = z
  .object({ items: z.array(ModelLimits).meta({ description: 'In the order of `models`' }) })
  .meta({ id: 'ModelLimitList' });
