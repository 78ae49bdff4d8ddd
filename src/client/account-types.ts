// Shapes of webhooks, teams, usage and billing as a client sees them.

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

export type Role = 'owner' | 'admin' | 'member' | 'viewer';

export interface Team {
  id: string;
  name: string;
  slug: string;
  tier: string;
  role: Role;
  memberCount: number;
  createdAt: string;
  settings: Record<string, unknown>;
}

export interface TeamMember {
  userId: string;
  email: string;
  name: string | null;
  role: Role;
  status: 'active' | 'invited';
  joinedAt: string;
}

export interface Usage {
  period: string;
  periodStart: string;
  periodEnd: string;
  tier: string;
  runs: { used: number; limit: number | null; remaining: number | null };
  tokens: { input: number; output: number; cachedInput: number };
  costUsd: number;
  [more: string]: unknown;
}

export interface UsageMonth {
  month: string;
  totals: Record<string, unknown>;
  days: Record<string, unknown>[];
  byModel: Record<string, unknown>[];
}

export interface Subscription {
  tier: string;
  status: string;
  seats: number;
  currentPeriodStart: string;
  currentPeriodEnd: string;
  cancelAtPeriodEnd: boolean;
  quota: { runsPerMonth: number | null; requestsPerMinute: number; concurrentJobs: number | null };
  provider: string;
}
