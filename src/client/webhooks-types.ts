// Shapes of webhooks as a client sees them.
import type { WebhookFormat } from '../contract/webhook-api.ts';

export type WebhookEvent =
  | 'execution.started'
  | 'execution.step_completed'
  | 'execution.completed'
  | 'execution.failed'
  | 'execution.cancelled'
  | 'usage.budget_warning'
  | 'usage.budget_exceeded'
  | 'approval.requested'
  | 'approval.resolved'
  | 'schedule.paused'
  | 'trigger.paused';

/** The body of the two events about a budget: `verifyWebhook<BudgetEvent>(...)`. */
export interface BudgetEvent {
  event: 'usage.budget_warning' | 'usage.budget_exceeded';
  timestamp: string;
  data: {
    teamId: string;
    month: string;
    limitUsd: number;
    spentUsd: number;
    reservedUsd: number;
  };
}

/** The body of the two events about an approval. `path` is that of its page in the dashboard. */
export interface ApprovalEvent {
  event: 'approval.requested' | 'approval.resolved';
  timestamp: string;
  data: {
    approvalId: string;
    teamId: string;
    kind: string;
    status: string;
    title: string;
    runId: string;
    streamId: string | null;
    requestedBy: string;
    expiresAt: string;
    path: string;
    resolvedBy?: string | null;
    resolvedAt?: string;
    expired?: boolean;
  };
}

export interface NewWebhook {
  url: string;
  events: WebhookEvent[] | ['*'];
  /** `slack` and `teams`: a message for an incoming webhook of that chat. */
  format?: WebhookFormat;
  description?: string;
}

export type {
  CreatedWebhook,
  QueuedDelivery,
  RotatedSecret,
  Webhook,
  WebhookDelivery,
  WebhookFormat,
} from '../contract/webhook-api.ts';

export interface Page<T> {
  items: T[];
  nextCursor?: string | null;
  hasMore?: boolean;
}
