// Body of GET /api/v1/admin/system: how the server is doing.
import { z } from 'zod';
import { Timestamp } from './fields.ts';
import { JobWaiting } from './job-api.ts';

const counted = z.number().int().min(0);

const SystemNode = z
  .object({
    id: z.string(),
    role: z.string().meta({ description: '`all`, `api` or `worker`' }),
    version: z.string(),
    slots: counted.meta({ description: 'Jobs that it can run at once' }),
    running: counted,
    startedAt: Timestamp,
    heartbeatAgeMs: counted.meta({ description: 'Time since it last reported' }),
  })
  .meta({ id: 'SystemNode' });

const SystemWait = z
  .object({
    reason: JobWaiting.shape.reason,
    provider: z.string(),
    jobs: counted,
    until: Timestamp.nullable().meta({ description: 'The latest of them; null if unknown' }),
  })
  .meta({ id: 'SystemWait', description: 'Jobs of one provider that wait for the same reason' });

const mode = <const Modes extends readonly [string, ...string[]]>(modes: Modes, what: string) =>
  z
    .object({ mode: z.enum(modes), why: z.string().meta({ description: 'What decided' }) })
    .meta({ description: what });

export const SystemState = z
  .object({
    version: z.string().meta({ description: 'Release of the node that answers' }),
    nodes: z.array(SystemNode),
    queue: z.object({
      pending: counted,
      running: counted,
      parked: counted.meta({ description: 'Pending jobs above the concurrency cap of their team' }),
      oldest: z
        .object({
          jobId: z.string(),
          queuedAt: Timestamp,
          waiting: JobWaiting.optional(),
        })
        .nullable()
        .meta({ description: 'The pending job that has waited longest' }),
    }),
    waits: z.array(SystemWait),
    webhooks: z.object({
      pending: counted,
      failing: counted.meta({ description: 'Pending deliveries that failed at least once' }),
      oldestAt: Timestamp.nullable(),
    }),
    database: z.object({
      version: z.string(),
      sizeBytes: counted,
      latencyMs: z.number(),
      schemaVersion: counted,
      schemaName: z.string(),
      signals: mode(['notify', 'poll'], 'How the node that answers hears of the others'),
      liveness: mode(['lock', 'lease'], 'How others tell that it lives'),
    }),
  })
  .meta({ id: 'SystemState' });
export type SystemState = z.infer<typeof SystemState>;
