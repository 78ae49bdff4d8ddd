// Bodies of /v1/triggers: runs that are asked for when something happens elsewhere.
import { z } from 'zod';
import { Timestamp, pageLimit, plainText } from './fields.ts';
import { RUN_REQUEST_STATUSES, RunRequestWork } from './run-request-api.ts';
import { PAUSE_REASONS, SKIP_REASONS } from './start-reasons.ts';
import { CHANGED_RULES, NEW_RULES, OverlapRule, ShownRules, StarterOwner } from './start-rules.ts';
import { IGNORE_REASONS, TRIGGER_EVENTS } from './trigger-events.ts';

const BASE32 = '[0-7][0-9a-hjkmnp-tv-z]{25}';
export const TRIGGER_ID_PATTERN = new RegExp(`^trg_${BASE32}$`);
export const TRIGGER_DELIVERY_ID_PATTERN = new RegExp(`^tdel_${BASE32}$`);
export const MAX_TRIGGERS = 100;
export const KEPT_DELIVERIES = 200;
export const MAX_HOOK_BYTES = 1024 * 1024;

const keysOf = <const T extends object>(table: T) =>
  Object.keys(table) as [keyof T & string, ...(keyof T & string)[]];

const listOf = (table: Readonly<Record<string, string>>) =>
  Object.entries(table)
    .map(([name, text]) => `\`${name}\`: ${text}`)
    .join('. ');

export const TRIGGER_KINDS = ['url', 'github', 'gitlab'] as const;
export type TriggerKind = (typeof TRIGGER_KINDS)[number];

const Name = plainText(100).meta({ example: 'Fix on label' });
const Repository = z
  .string()
  .max(300)
  .regex(/^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)+$/, 'must be like owner/name')
  .meta({ description: 'Events of other repositories start nothing', example: 'example/shop' });
const EventName = z.enum(keysOf(TRIGGER_EVENTS)).meta({ description: listOf(TRIGGER_EVENTS) });
const Events = z.array(EventName).min(1).max(10);

const globs = (about: string) =>
  z.array(plainText(200)).min(1).max(50).optional().meta({ description: about });

export const TriggerFilters = z
  .strictObject({
    labels: globs('Of `issue_labeled`: one of these labels; `*` stands for any characters'),
    commands: z
      .array(z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be a word such as fix'))
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'Of `comment`: `/millrace` and one of these words; any if omitted' }),
    branches: globs('Of `push`, `check_failed` and `review`: one of these branches'),
    paths: globs('Of `push`: a changed file is one of these; `*` also stands for `/`'),
    authors: globs('Who did it, as the forge names them'),
  })
  .meta({ id: 'TriggerFilters', description: 'All that are given have to hold' });
export type TriggerFilters = z.infer<typeof TriggerFilters>;

/** An event starts something new. */
const { run: _run, from: _from, planOnly: _planOnly, ...workShape } = RunRequestWork.shape;

export const TriggerWork = z
  .strictObject({
    ...workShape,
    task: z
      .string()
      .min(1)
      .max(20_000)
      .refine((text) => text.isWellFormed() && !text.includes('\0'), {
        message: 'must be well-formed text',
      })
      .optional()
      .meta({
        description:
          'What to do. `{{issue.title}}` and the like stand for what the event says, which is quoted below the task',
      }),
    branch: z.string().min(1).max(200).optional().meta({
      description: 'May have the same names, as small letters, digits and hyphens',
      example: 'millrace/{{issue.number}}-{{issue.title}}',
    }),
  })
  .refine(({ manifest, task }) => (manifest === undefined) !== (task === undefined), {
    message: 'needs exactly one of manifest and task',
    path: ['manifest'],
  })
  .refine(({ inPlace, branch, openRequest }) => !inPlace || !(branch || openRequest), {
    message: 'cannot be used with branch or openRequest',
    path: ['inPlace'],
  })
  .meta({ id: 'TriggerWork' });
export type TriggerWork = z.infer<typeof TriggerWork>;

export const CreateTriggerRequest = z
  .object({
    name: Name,
    kind: z.enum(TRIGGER_KINDS).meta({
      description: '`url` is called by anything that has its token. The others take webhooks',
    }),
    repository: Repository.optional().meta({ description: 'Required unless the kind is `url`' }),
    events: Events.optional().meta({ description: 'Required unless the kind is `url`' }),
    filters: TriggerFilters.default({}),
    work: TriggerWork,
    ...NEW_RULES,
    overlap: OverlapRule.default('queue'),
  })
  .meta({ id: 'CreateTriggerRequest' });
export type CreateTriggerRequest = z.infer<typeof CreateTriggerRequest>;
export type NewTrigger = z.input<typeof CreateTriggerRequest>;

export const UpdateTriggerRequest = z
  .object({
    name: Name.optional(),
    repository: Repository.optional(),
    events: Events.optional(),
    filters: TriggerFilters.optional().meta({ description: 'Replaces all of them' }),
    work: TriggerWork.optional().meta({
      description: 'Replaces all of it. Who changes it becomes the owner',
    }),
    ...CHANGED_RULES,
  })
  .meta({ id: 'UpdateTriggerRequest' });
export type UpdateTriggerRequest = z.infer<typeof UpdateTriggerRequest>;
export type TriggerChange = z.input<typeof UpdateTriggerRequest>;

const ALL_REASONS = { ...IGNORE_REASONS, ...SKIP_REASONS, ...PAUSE_REASONS };
export const DeliveryReason = z
  .enum([...keysOf(ALL_REASONS), 'inactive'])
  .meta({ description: 'Why nothing was started. `inactive`: the trigger is paused' });
export type DeliveryReason = z.infer<typeof DeliveryReason>;

export const TriggerDelivery = z
  .object({
    id: z.string().meta({ example: 'tdel_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    at: Timestamp,
    event: z.string().meta({ description: 'As the sender calls it' }),
    actor: z.string().nullable().meta({ description: 'Who did it, as the sender says' }),
    result: z.enum(['started', 'skipped', 'paused', 'ignored']),
    reason: DeliveryReason.nullable(),
    cancelled: z.number().int().meta({ description: 'Earlier requests that it cancelled' }),
    replayOf: z.string().nullable().meta({ description: 'The delivery that it repeats' }),
    canReplay: z.boolean(),
    request: z
      .object({
        id: z.string(),
        status: z.enum(RUN_REQUEST_STATUSES),
        runId: z.string().nullable(),
        endedAt: Timestamp.nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'TriggerDelivery' });
export type TriggerDelivery = z.infer<typeof TriggerDelivery>;

export const Trigger = z
  .object({
    id: z.string().meta({ example: 'trg_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    name: z.string(),
    kind: z.enum(TRIGGER_KINDS),
    url: z.string().meta({ description: 'Where events are sent by POST' }),
    repository: z.string().nullable(),
    events: z.array(EventName),
    filters: TriggerFilters,
    work: TriggerWork,
    ...ShownRules,
    pausedAt: Timestamp.nullable(),
    owner: StarterOwner,
    lastDelivery: TriggerDelivery.nullable(),
    refused: z
      .object({ count: z.number().int(), lastAt: Timestamp.nullable() })
      .meta({ description: 'Calls that did not show the secret' }),
    createdAt: Timestamp,
  })
  .meta({ id: 'Trigger' });
export type Trigger = z.infer<typeof Trigger>;

const secret = z.string().meta({
  description:
    'Token of the URL, or secret of the webhook; shown only once. A URL also takes it as the last part of its path',
});

export const CreatedTrigger = Trigger.extend({ secret }).meta({ id: 'CreatedTrigger' });
export type CreatedTrigger = z.infer<typeof CreatedTrigger>;

export const TriggerList = z.object({ items: z.array(Trigger) }).meta({ id: 'TriggerList' });

export const DeletedTrigger = z
  .object({ deleted: z.literal(true), id: z.string() })
  .meta({ id: 'DeletedTrigger' });

export const RotateTriggerRequest = z
  .object({
    gracePeriodHours: z.number().min(0).max(24).default(24).meta({
      description: 'How long the secret of before is good, too',
    }),
  })
  .meta({ id: 'RotateTriggerRequest' });
export type RotateTriggerRequest = z.infer<typeof RotateTriggerRequest>;

export const RotatedTrigger = z
  .object({ id: z.string(), url: z.string(), secret, oldSecretUntil: Timestamp })
  .meta({ id: 'RotatedTrigger' });
export type RotatedTrigger = z.infer<typeof RotatedTrigger>;

export const TriggerDeliveryQuery = z.object({
  limit: pageLimit('Deliveries', 30),
  before: z
    .string()
    .regex(TRIGGER_DELIVERY_ID_PATTERN, 'must be the nextCursor of a previous page')
    .optional()
    .meta({ description: '`nextCursor` of the previous page' }),
});
export type TriggerDeliveryQuery = z.infer<typeof TriggerDeliveryQuery>;

export const TriggerDeliveryPage = z
  .object({
    items: z.array(TriggerDelivery),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
    limit: z.number().int(),
  })
  .meta({ id: 'TriggerDeliveryPage' });
export type TriggerDeliveryPage = z.infer<typeof TriggerDeliveryPage>;

export const TestTriggerRequest = z
  .object({
    event: EventName.optional().meta({ description: 'The first one of the trigger if omitted' }),
    values: z
      .record(z.string().max(60), z.string().max(2000))
      .default({})
      .meta({ description: 'What the event says, in place of a sample' }),
  })
  .meta({ id: 'TestTriggerRequest' });
export type TestTriggerRequest = z.infer<typeof TestTriggerRequest>;

export const TestedTrigger = z
  .object({
    event: z.string(),
    work: RunRequestWork.meta({ description: 'What such an event would ask for' }),
  })
  .meta({ id: 'TestedTrigger' });
export type TestedTrigger = z.infer<typeof TestedTrigger>;

/** A call of a URL. */
export const HookCall = z.object({
  values: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_]{0,49}$/, 'must be small letters, digits and "_"'),
      z.union([z.string().max(20_000), z.number(), z.boolean()]),
    )
    .refine((values) => Object.keys(values).length <= 50, { message: 'at most 50 values' })
    .default({})
    .meta({ description: 'For `{{values.NAME}}` in the task' }),
});

export const HookAnswer = z
  .object({
    deliveryId: z.string(),
    result: z.enum(['started', 'skipped', 'paused', 'ignored']),
    reason: DeliveryReason.nullable(),
    requestId: z.string().nullable(),
    repeated: z.boolean().meta({ description: 'The same body came before; this is its result' }),
  })
  .meta({ id: 'HookAnswer' });
export type HookAnswer = z.infer<typeof HookAnswer>;
