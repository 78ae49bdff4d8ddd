// Bodies of /api/v1/history: runs.
import { z } from 'zod';
import {
  UnpricedCalls,
  UsageEstimated,
  RunId,
  StreamId,
  Timestamp,
  plainText,
  pageLimit,
  wholeNumber,
} from './fields.ts';
import { LiveRun } from './run-progress.ts';

export const RunStatus = z
  .enum(['pending', 'in_progress', 'paused', 'complete', 'failed', 'cancelled'])
  .meta({ id: 'RunStatus' });
export type RunStatus = z.infer<typeof RunStatus>;

export const StreamStatus = z
  .enum(['pending', 'in_progress', 'complete', 'failed', 'skipped', 'blocked'])
  .meta({ id: 'StreamStatus' });
export type StreamStatus = z.infer<typeof StreamStatus>;

const runFields = {
  id: z.string(),
  feature: z.string(),
  status: RunStatus,
  streamCount: z.number().int(),
  waveCount: z.number().int(),
  durationMs: z.number().int(),
  startedAt: Timestamp,
};

const costFields = {
  totalCostUsd: z.number().meta({
    description: 'Of the calls with a known price; the others are counted in `unpricedCalls`',
  }),
  unpricedCalls: UnpricedCalls,
  usageEstimated: UsageEstimated,
};

const author = {
  author: z
    .object({ id: z.string(), name: z.string() })
    .optional()
    .meta({ description: 'Who made it: the name, or the email address of a user without one' }),
};

const models = {
  models: z
    .array(z.string())
    .optional()
    .meta({ description: 'Models that it asked or is about to ask; omitted if none are known' }),
};

const live = {
  live: LiveRun.optional().meta({ description: 'Of a run that its command line reports' }),
};

export const RunSummary = z
  .object({ ...runFields, ...costFields, ...author, ...models, ...live })
  .meta({ id: 'RunSummary' });
export type RunSummary = z.infer<typeof RunSummary>;

export const RunStream = z
  .object({
    streamId: z.string(),
    name: z.string(),
    status: StreamStatus,
    waveNumber: z.number().int(),
    filesChanged: z.array(z.string()),
    tokensInput: z.number().int(),
    tokensOutput: z.number().int(),
    usageEstimated: UsageEstimated,
    model: z
      .string()
      .optional()
      .meta({ description: 'That completed it, or was asked last; omitted if it is not known' }),
  })
  .meta({ id: 'RunStream' });
export type RunStream = z.infer<typeof RunStream>;

export const Run = z
  .object({ ...runFields, ...costFields, ...author, ...models, ...live })
  .meta({ id: 'Run' });

export const HistoryQuery = z.object({
  offset: wholeNumber({ min: 0, max: 2_000_000_000, initial: 0 }).meta({
    description: 'Number of runs to skip',
    type: 'integer',
    default: 0,
  }),
  limit: pageLimit('Runs', 10),
  organizationId: z.string().max(200).optional().meta({ description: 'Only runs of this team' }),
  status: RunStatus.optional().meta({ description: 'Only runs with this status' }),
  feature: plainText(200)
    .optional()
    .meta({ description: 'Only runs whose feature contains this text' }),
  author: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'Only runs of this member: an id, or `me`' }),
  since: Timestamp.optional().meta({ description: 'Only runs started at or after this time' }),
  until: Timestamp.optional().meta({ description: 'Only runs started before this time' }),
});
export type HistoryQuery = z.infer<typeof HistoryQuery>;

export const HistoryPage = z
  .object({
    items: z.array(RunSummary),
    total: z.number().int(),
    offset: z.number().int(),
    limit: z.number().int(),
  })
  .meta({ id: 'HistoryPage' });

export const HistoryDetail = z
  .object({ run: Run, streams: z.array(RunStream) })
  .meta({ id: 'HistoryDetail' });

const tokens = z.number().int().min(0).max(1_000_000_000).default(0);
const dollars = z.number().min(0).max(1_000_000_000);

export const RecordRunRequest = z
  .object({
    run: z.object({
      feature: plainText(200),
      status: RunStatus,
      startedAt: Timestamp,
      durationMs: z.number().int().min(0).max(31_536_000_000).default(0),
      streamCount: z.number().int().min(0).max(100_000).optional(),
      waveCount: z.number().int().min(0).max(100_000).optional(),
      organizationId: z.string().max(200).optional(),
    }),
    streams: z
      .array(
        z.object({
          streamId: StreamId,
          name: plainText(200).optional(),
          status: StreamStatus,
          waveNumber: z.number().int().min(1).max(100_000).default(1),
          filesChanged: z.array(plainText(1024)).max(10_000).default([]),
          tokensInput: tokens,
          tokensOutput: tokens,
          costUsd: dollars
            .nullable()
            .default(0)
            .meta({ description: 'null if the price is not known' }),
          unpricedCalls: z
            .number()
            .int()
            .min(0)
            .max(1_000_000)
            .optional()
            .meta({ description: 'Model calls not included in costUsd' }),
          model: plainText(200)
            .optional()
            .meta({ description: 'That completed it, or was asked last' }),
        }),
      )
      .max(100_000),
  })
  .meta({ id: 'RecordRunRequest' });
export type RecordRunRequest = z.infer<typeof RecordRunRequest>;

export const RunParams = z.object({ id: RunId });
