// Bodies of /api/v1/runs/:id/shares and /api/v1/shared: links with which anybody may look at one run.
import { z } from 'zod';
import { Timestamp } from './fields.ts';
import type { RunEvent } from './run-events.ts';

/** How long a link may work, in hours. */
export const SHARE_LIVES = { '1h': 1, '1d': 24, '7d': 168, '30d': 720 } as const;
export type ShareLife = keyof typeof SHARE_LIVES;

export const ShareRunRequest = z
  .object({
    expiresIn: z
      .enum(Object.keys(SHARE_LIVES) as [ShareLife, ...ShareLife[]])
      .default('7d')
      .meta({ description: 'How long the link works' }),
    includeChanges: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether the link also shows file names and diffs' }),
  })
  .meta({ id: 'ShareRunRequest' });
export type ShareRunRequest = z.infer<typeof ShareRunRequest>;

const share = {
  id: z.string(),
  includeChanges: z.boolean(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
};

export const RunShare = z
  .object({
    ...share,
    createdBy: z.string().nullable().meta({ description: 'Email address of who made it' }),
  })
  .meta({ id: 'RunShare' });
export type RunShare = z.infer<typeof RunShare>;

export const RunShareList = z.object({ items: z.array(RunShare) }).meta({ id: 'RunShareList' });

export const CreatedRunShare = z
  .object({
    ...share,
    token: z.string().meta({ description: 'The secret of the link; not shown again' }),
    path: z.string().meta({
      description:
        'Address of the page on this server. The secret comes after #, so that no log has it',
    }),
  })
  .meta({ id: 'CreatedRunShare' });
export type CreatedRunShare = z.infer<typeof CreatedRunShare>;

export const RevokedRunShare = z
  .object({ revoked: z.literal(true) })
  .meta({ id: 'RevokedRunShare' });

export const ShareHeaders = z.object({
  'x-share-token': z.string().max(200).default('').meta({ description: 'The secret of the link' }),
});

export const SharedRun = z
  .object({
    expiresAt: Timestamp,
    includeChanges: z.boolean(),
    isLive: z.boolean().meta({ description: 'Whether the run is still under way' }),
    progress: z.record(z.string(), z.number()),
    events: z
      .array(z.looseObject({ type: z.string(), seq: z.number() }))
      .meta({ description: 'Without prompts, answers, commands and their output, and errors' }),
  })
  .meta({ id: 'SharedRun' });
export interface SharedRun extends Omit<z.infer<typeof SharedRun>, 'events'> {
  events: RunEvent[];
}
