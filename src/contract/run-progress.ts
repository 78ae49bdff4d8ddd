// How far a run has come, as the command line that makes it reports.
import { z } from 'zod';
import { Timestamp } from './fields.ts';

/** A run of which nothing was heard for so long has lost its command line. */
export const REPORT_SILENCE_MS = 60_000;

const count = z.number().int().min(0).max(1_000_000);

export const RunProgress = z
  .object({
    done: count.meta({ description: 'Streams that are complete or skipped' }),
    failed: count,
    total: count,
    wave: count.meta({ description: 'The first wave that is not done' }),
    waves: count,
    simulated: z.boolean(),
    models: z
      .array(z.string().max(200))
      .max(100)
      .optional()
      .meta({ description: 'Models of its streams' }),
    problem: z
      .string()
      .max(500)
      .optional()
      .meta({ description: 'What went wrong last, in one line' }),
  })
  .meta({ id: 'RunProgress' });
export type RunProgress = z.infer<typeof RunProgress>;

export const LiveRun = RunProgress.extend({
  isLive: z.boolean().meta({ description: 'Whether its command line is still heard of' }),
  reportedAt: Timestamp,
}).meta({ id: 'LiveRun', description: 'What the command line that runs it reported last' });
export type LiveRun = z.infer<typeof LiveRun>;
