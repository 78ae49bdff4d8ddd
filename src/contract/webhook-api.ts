// Bodies of /v1/webhooks.
import { z } from 'zod';
import { DELIVERY_ID_PATTERN, Timestamp, plainText, pageLimit } from './fields.ts';

const EVENT_NAMES = [
  'execution.started',
  'execution.step_completed',
  'execution.completed',
  'execution.failed',
  'execution.cancelled',
  'usage.budget_warning',
  'usage.budget_exceeded',
  'approval.requested',
  'approval.resolved',
  'schedule.paused',
  'trigger.paused',
  '*',
] as const;

const Events = z
  .array(z.enum(EVENT_NAMES))
  .min(1)
  .max(20)
  .meta({ description: 'Event names, or `*` for all events', example: ['*'] });

// Whether it may be called is decided by the service, which knows what the operator allows.
const Url = z.string().min(1).max(2048).meta({
  description: 'HTTPS URL with a public address. Events are sent to it by POST',
  example: 'https://example.com/hooks/millrace',
});

export const WEBHOOK_FORMATS = ['millrace', 'slack', 'teams'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];
const Format = z.enum(WEBHOOK_FORMATS).meta({
  description:
    '`millrace` is the event as described. `slack` and `teams` are a message for an incoming webhook of that chat',
});

const Description = plainText(500);

export const CreateWebhookRequest = z
  .object({
    url: Url,
    events: Events,
    format: Format.default('millrace'),
    description: Description.nullish(),
  })
  .meta({ id: 'CreateWebhookRequest' });
export type CreateWebhookRequest = z.infer<typeof CreateWebhookRequest>;

export const UpdateWebhookRequest = z
  .object({
    url: Url.optional(),
    events: Events.optional(),
    format: Format.optional(),
    description: Description.nullable().optional(),
    status: z.enum(['active', 'paused']).optional().meta({
      description:
        '`paused` stops new events and keeps pending deliveries. `active` also re-enables a disabled webhook',
    }),
  })
  .meta({ id: 'UpdateWebhookRequest' });
export type UpdateWebhookRequest = z.infer<typeof UpdateWebhookRequest>;

export const Webhook = z
  .object({
    id: z.string().meta({ example: 'wh_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    url: z.string(),
    events: z.array(z.string()),
    format: Format,
    description: z.string().nullable(),
    status: z.enum(['active', 'paused', 'disabled']),
    disabledReason: z.string().nullable().meta({ description: 'Why the webhook is disabled' }),
    createdAt: Timestamp,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

const secret = z.string().meta({
  description: 'Secret to verify signatures; shown only once',
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
});

export const CreatedWebhook = Webhook.extend({ secret }).meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;

export const WebhookList = z.object({ items: z.array(Webhook) }).meta({ id: 'WebhookList' });

export const DeletedWebhook = z
  .object({ deleted: z.literal(true), id: z.string() })
  .meta({ id: 'DeletedWebhook' });

export const RotatedSecret = z
  .object({
    id: z.string(),
    secret,
    oldSecretUntil: Timestamp.meta({
      description: 'Until then events are signed with the old secret too',
    }),
  })
  .meta({ id: 'RotatedSecret' });
export type RotatedSecret = z.infer<typeof RotatedSecret>;

export const QueuedDelivery = z
  .object({
    deliveryId: z.string(),
    eventId: z.string().meta({ description: 'Value of the `webhook-id` header' }),
  })
  .meta({ id: 'QueuedDelivery' });
export type QueuedDelivery = z.infer<typeof QueuedDelivery>;

export const WebhookAttempt = z
  .object({
    at: Timestamp,
    status: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the response, if any' }),
    durationMs: z.number().int(),
    responseBody: z.string().nullable().meta({ description: 'First 2 KB of the response' }),
    error: z.string().nullable(),
  })
  .meta({ id: 'WebhookAttempt' });

export const WebhookDelivery = z
  .object({
    id: z.string(),
    event: z.string(),
    eventId: z.string(),
    executionId: z.string().nullable(),
    status: z.enum(['pending', 'delivered', 'failed']),
    createdAt: Timestamp,
    nextAttemptAt: Timestamp.nullable(),
    attempts: z.array(WebhookAttempt),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const DeliveryPage = z
  .object({
    items: z.array(WebhookDelivery),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
    limit: z.number().int(),
  })
  .meta({ id: 'DeliveryPage' });
export type DeliveryPage = z.infer<typeof DeliveryPage>;

export const DeliveryQuery = z.object({
  limit: pageLimit('Deliveries', 50),
  before: z
    .string()
    .regex(DELIVERY_ID_PATTERN, 'must be the nextCursor of a previous page')
    .optional()
    .meta({ description: '`nextCursor` of the previous page' }),
});
export type DeliveryQuery = z.infer<typeof DeliveryQuery>;
