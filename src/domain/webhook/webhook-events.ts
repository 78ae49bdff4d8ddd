// The events that webhooks tell of.

export const EXECUTION_EVENTS = [
  'execution.started',
  'execution.step_completed',
  'execution.completed',
  'execution.failed',
  'execution.cancelled',
] as const;
export type ExecutionEventName = (typeof EXECUTION_EVENTS)[number];

export const APPROVAL_EVENTS = ['approval.requested', 'approval.resolved'] as const;
export type ApprovalEventName = (typeof APPROVAL_EVENTS)[number];

export const STARTER_EVENTS = ['schedule.paused', 'trigger.paused'] as const;
export type StarterEventName = (typeof STARTER_EVENTS)[number];

/** Sent on request only, whatever events the webhook asks for. */
export const TEST_EVENT = 'webhook.test';

export const ALL_EVENTS = '*';
