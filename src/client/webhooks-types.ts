// Shapes of webhooks as a client sees them.

export type WebhookEvent =
  | 'execution.started'
  | 'execution.step_completed'
  | 'execution.completed'
  | 'execution.failed'
  | 'execution.cancelled';

export interface NewWebhook {
  url: string;
  events: WebhookEvent[] | ['*'];
  description?: string;
}

export type {
  CreatedWebhook,
  QueuedDelivery,
  RotatedSecret,
  Webhook,
  WebhookDelivery,
} from '../contract/webhook-api.ts';

export interface Page<T> {
  items: T[];
  nextCursor?: string | null;
  hasMore?: boolean;
}
