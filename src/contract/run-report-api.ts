// Bodies of /api/v1/runs: what a command line reports about its run while it is under way.
import { z } from 'zod';
import { StreamId, Timestamp, plainText } from './fields.ts';
import { isRunEvent } from './run-events.ts';
import type { RunEvent } from './run-events.ts';
import { RunProgress } from './run-progress.ts';

/** As the database counts them. */
const MAX_SEQ = 2_147_483_647;

export const MAX_REPORTED_EVENTS = 1000;
/** Of everything that is reported of a run: events, changes, manifest. */
export const MAX_RUN_REPORT_BYTES = 32 * 1024 * 1024;
/** Of all runs that a team keeps. */
export const MAX_TEAM_REPORT_BYTES = 1024 * 1024 * 1024;
const count = z.number().int().min(0).max(1_000_000);

const text = z.string().max(100);

export const ChangedFile = z
  .object({
    path: z.string().min(1).max(1024),
    kind: z.enum(['create', 'edit', 'delete']),
    additions: count,
    deletions: count,
    patch: z
      .string()
      .max(1_000_000)
      .nullable()
      .meta({ description: 'Unified diff; null if it is too large or not text' }),
  })
  .meta({ id: 'ChangedFile' });
export type ChangedFile = z.infer<typeof ChangedFile>;

export const StreamChanges = z
  .object({ streamId: StreamId, files: z.array(ChangedFile).max(2000) })
  .meta({ id: 'StreamChanges' });
export type StreamChanges = z.infer<typeof StreamChanges>;

/** Longer manifests are cut there. */
export const MAX_MANIFEST_BYTES = 256 * 1024;

export const RunManifest = z
  .object({
    text: z.string().max(MAX_MANIFEST_BYTES),
    isCut: z.boolean().default(false).meta({ description: 'Whether it continues after `text`' }),
  })
  .meta({ id: 'RunManifest' });
export type RunManifest = z.infer<typeof RunManifest>;

export const ReportRunRequest = z
  .object({
    name: plainText(200).meta({ description: 'Name of the manifest' }),
    events: z
      .array(
        z
          .looseObject({
            v: z.literal(1),
            seq: z.number().int().min(1).max(MAX_SEQ),
            ts: Timestamp,
            type: text,
          })
          .refine(isRunEvent, { message: 'must be an event of a run' }),
      )
      .max(MAX_REPORTED_EVENTS)
      .meta({ description: 'In the order of `seq`' }),
    progress: z
      .record(z.string().max(200), count)
      .default({})
      .meta({ description: 'Tokens of answers that are being written, by stream' }),
    changes: z.array(StreamChanges).max(1000).default([]),
    summary: RunProgress,
    manifest: RunManifest.optional().meta({
      description: 'As it was when the run began; once is enough',
    }),
  })
  .meta({ id: 'ReportRunRequest' });
export interface ReportRunRequest extends Omit<z.infer<typeof ReportRunRequest>, 'events'> {
  events: RunEvent[];
}

export const ReportedRun = z
  .object({
    lastSeq: z.number().int().meta({ description: 'Send the events after this one next' }),
    cancelRequested: z.boolean().meta({ description: 'Whether a user asked to stop the run' }),
  })
  .meta({ id: 'ReportedRun' });
export type ReportedRun = z.infer<typeof ReportedRun>;

export const CancelledRun = z
  .object({
    cancelled: z.boolean().meta({ description: 'False if there was nothing left to stop' }),
  })
  .meta({ id: 'CancelledRun' });

export const RunChanges = z.object({ streams: z.array(StreamChanges) }).meta({ id: 'RunChanges' });

export const ReportedManifest = z
  .object({
    manifest: RunManifest.nullable().meta({ description: 'null if it was not reported' }),
  })
  .meta({ id: 'ReportedManifest' });
