import type { Webhook } from '../../../../src/contract/webhook-api.ts';
import type { WebhookEvent } from '../../../../src/client/webhooks-types.ts';

export const WEBHOOK_EVENTS: Readonly<Record<WebhookEvent, string>> = {
  'execution.started': 'An execution is accepted',
  'execution.step_completed': 'A step completes',
  'execution.completed': 'All steps are complete',
  'execution.failed': 'An execution fails',
  'execution.cancelled': 'An execution is cancelled',
  'usage.budget_warning': '80% of the budget is spent',
  'usage.budget_exceeded': 'The budget is spent',
  'approval.requested': 'A run asks for approval',
  'schedule.paused': 'A schedule was paused by the server',
  'trigger.paused': 'A trigger was paused by the server',
  'approval.resolved': 'An approval is answered, or its time is over',
};

export const shownEvents = (events: readonly string[]) =>
  events.includes('*') ? 'All events' : events.join(', ');

export const WEBHOOK_FORMATS: Readonly<Record<Webhook['format'], string>> = {
  millrace: 'Events as JSON, signed',
  slack: 'Messages for Slack',
  teams: 'Messages for Microsoft Teams',
};
