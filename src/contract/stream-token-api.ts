// Bodies of /v1/stream-tokens: credentials with which the agent of one stream calls models, and nothing else.
import { z } from 'zod';
import { RunId, StreamId, Timestamp, plainText } from './fields.ts';

const MAX_USD = 1_000_000;

export const StreamTokenRequest = z
  .object({
    runId: RunId,
    streamId: StreamId,
    attempt: z.number().int().min(1).max(10_000).meta({ description: 'Which try of the stream' }),
    fence: z.number().int().min(0).max(2_000_000_000).meta({
      description:
        'Goes up with each process that takes the run over. Tokens of an older one stop working',
    }),
    models: z
      .array(plainText(200).min(1))
      .min(1)
      .max(50)
      .meta({
        description: 'Models that may be called, as the provider names them',
        example: ['claude-opus-5-5'],
      }),
    maxCostUsd: z.number().positive().max(MAX_USD).optional().meta({
      description: 'Most that the stream may cost, all of its attempts together',
    }),
  })
  .meta({ id: 'StreamTokenRequest' });
export type StreamTokenRequest = z.infer<typeof StreamTokenRequest>;

export const StreamToken = z
  .object({
    id: z.string(),
    token: z.string().meta({ description: 'The credential; not shown again' }),
    expiresAt: Timestamp.meta({ description: 'Renew the token before this time' }),
  })
  .meta({ id: 'StreamToken' });
export type StreamToken = z.infer<typeof StreamToken>;

export const StreamTokenUsage = z
  .object({
    calls: z.number().int(),
    openCalls: z.number().int().meta({ description: 'Those that are being answered' }),
    input: z.number().int(),
    output: z.number().int(),
    cachedInput: z.number().int(),
    costUsd: z
      .number()
      .nullable()
      .meta({ description: 'null if the price of a call is not known' }),
  })
  .meta({ id: 'StreamTokenUsage', description: 'What was called with the token so far' });
export type StreamTokenUsage = z.infer<typeof StreamTokenUsage>;

export const RenewedStreamToken = z
  .object({ id: z.string(), expiresAt: Timestamp })
  .meta({ id: 'RenewedStreamToken' });
export type RenewedStreamToken = z.infer<typeof RenewedStreamToken>;

export const EndedStreamToken = z
  .object({ ended: z.literal(true), usage: StreamTokenUsage })
  .meta({ id: 'EndedStreamToken' });

export type EndedStreamToken = z.infer<typeof EndedStreamToken>;

const Money = z.number().min(0);

export const RunCapsRequest = z
  .object({
    maxCostUsd: Money.max(MAX_USD).nullish().meta({
      description: 'Most that the run may cost, in dollars; null for no limit',
    }),
    streams: z
      .record(StreamId, Money.max(MAX_USD).nullable())
      .refine((streams) => Object.keys(streams).length <= 1000, {
        message: 'must name at most 1,000 streams',
      })
      .optional()
      .meta({ description: 'Most that streams may cost, by their ids' }),
  })
  .meta({ id: 'RunCapsRequest' });
export type RunCapsRequest = z.infer<typeof RunCapsRequest>;

const Cap = z.object({
  limitUsd: Money,
  spentUsd: Money,
  reservedUsd: Money.meta({ description: 'Most that open jobs and calls may cost' }),
});

export const RunCaps = z
  .object({
    run: Cap.nullable().meta({ description: 'null if the run has no limit' }),
    streams: z.record(z.string(), Cap),
  })
  .meta({ id: 'RunCaps' });
export type RunCaps = z.infer<typeof RunCaps>;
