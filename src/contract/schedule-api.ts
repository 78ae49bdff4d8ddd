// Bodies of /v1/schedules: runs that are asked for at certain times.
import { z } from 'zod';
import { Timestamp, pageLimit, plainText } from './fields.ts';
import { RUN_REQUEST_STATUSES, RunRequestWork } from './run-request-api.ts';
import { CHANGED_RULES, NEW_RULES, ShownRules, StartReason, StarterOwner } from './start-rules.ts';

export const SCHEDULE_ID_PATTERN = /^sch_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
export const MAX_SCHEDULES = 100;
export const KEPT_FIRINGS = 100;

const Name = plainText(100).meta({ example: 'Nightly upgrade' });
const Cron = z.string().min(1).max(200).meta({
  description:
    'Five fields: minute, hour, day of the month, month, day of the week. `@daily` and the like, too',
  example: '0 9 * * 1-5',
});
const TimeZone = z.string().min(1).max(64).meta({
  description: 'Name in the IANA time zone database',
  example: 'Europe/Berlin',
});
const EverySeconds = z
  .number()
  .int()
  .min(60)
  .max(366 * 24 * 3600)
  .meta({ description: 'Seconds from one start to the next, in place of `cron`' });
const CatchUp = z.enum(['none', 'once']).meta({
  description: 'After times that were missed: start nothing, or one run for all of them',
});

export const CreateScheduleRequest = z
  .object({
    name: Name,
    cron: Cron.optional(),
    timeZone: TimeZone.optional(),
    everySeconds: EverySeconds.optional(),
    catchUp: CatchUp.default('once'),
    work: RunRequestWork,
    ...NEW_RULES,
  })
  .refine(({ cron, everySeconds }) => (cron === undefined) !== (everySeconds === undefined), {
    message: 'needs exactly one of cron and everySeconds',
    path: ['cron'],
  })
  .refine(({ cron, timeZone }) => cron !== undefined || timeZone === undefined, {
    message: 'is for cron only',
    path: ['timeZone'],
  })
  .meta({ id: 'CreateScheduleRequest' });
export type CreateScheduleRequest = z.infer<typeof CreateScheduleRequest>;
export type NewSchedule = z.input<typeof CreateScheduleRequest>;

export const UpdateScheduleRequest = z
  .object({
    name: Name.optional(),
    cron: Cron.optional().meta({ description: 'Replaces `everySeconds`' }),
    timeZone: TimeZone.optional(),
    everySeconds: EverySeconds.optional().meta({ description: 'Replaces `cron`' }),
    catchUp: CatchUp.optional(),
    work: RunRequestWork.optional().meta({
      description: 'Replaces all of it. Who changes it becomes the owner',
    }),
    ...CHANGED_RULES,
  })
  .refine(({ cron, everySeconds }) => cron === undefined || everySeconds === undefined, {
    message: 'cannot be used with everySeconds',
    path: ['cron'],
  })
  .meta({ id: 'UpdateScheduleRequest' });
export type UpdateScheduleRequest = z.infer<typeof UpdateScheduleRequest>;
export type ScheduleChange = z.input<typeof UpdateScheduleRequest>;

export const ScheduleFiring = z
  .object({
    id: z.string().meta({ example: 'fire_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    at: Timestamp,
    cause: z.enum(['time', 'catch_up', 'manual']),
    dueAt: Timestamp.nullable().meta({ description: 'The time of the schedule that it is for' }),
    result: z.enum(['started', 'skipped', 'paused']),
    reason: StartReason.nullable().meta({ description: 'Why nothing was started' }),
    missed: z
      .number()
      .int()
      .meta({ description: 'Times that passed without a start before, while no server was up' }),
    cancelled: z.number().int().meta({ description: 'Earlier requests that it cancelled' }),
    request: z
      .object({
        id: z.string(),
        status: z.enum(RUN_REQUEST_STATUSES),
        runId: z.string().nullable(),
        endedAt: Timestamp.nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'ScheduleFiring' });
export type ScheduleFiring = z.infer<typeof ScheduleFiring>;

export const Schedule = z
  .object({
    id: z.string().meta({ example: 'sch_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    name: z.string(),
    cron: z.string().nullable(),
    timeZone: z.string().nullable(),
    everySeconds: z.number().int().nullable(),
    catchUp: CatchUp,
    work: RunRequestWork,
    ...ShownRules,
    pausedAt: Timestamp.nullable(),
    next: z.array(Timestamp).meta({ description: 'The next five times; none while it is paused' }),
    owner: StarterOwner,
    lastFiring: ScheduleFiring.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Schedule' });
export type Schedule = z.infer<typeof Schedule>;

export const ScheduleList = z.object({ items: z.array(Schedule) }).meta({ id: 'ScheduleList' });

export const DeletedSchedule = z
  .object({ deleted: z.literal(true), id: z.string() })
  .meta({ id: 'DeletedSchedule' });

export const FiringQuery = z.object({ limit: pageLimit('Firings', 30) });

export const ScheduleFirings = z
  .object({ items: z.array(ScheduleFiring) })
  .meta({ id: 'ScheduleFirings' });
