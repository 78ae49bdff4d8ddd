// What webhooks are sent: one schema for each event of an execution, and of a team's budget.
import { z } from 'zod';
import { APPROVAL_KINDS, APPROVAL_STATUSES } from './approval-api.ts';
import { PAUSE_REASONS } from './start-reasons.ts';

const truncated = z.literal(true).optional().meta({
  description:
    'True if the event was too large to send in full; fetch the execution from `statusUrl`',
});
const statusUrl = z.string().optional().meta({ description: 'Path of the execution' });

/** A body that would be too large carries this instead of the result. */
const Cut = z.object({
  success: z.boolean().optional(),
  summary: z.string().optional().meta({ description: 'Its first 2,000 characters' }),
  filesChanged: z
    .array(z.string())
    .optional()
    .meta({ description: 'As many names as there is room for' }),
  fileCount: z.number().int().optional().meta({ description: 'How many files changed' }),
  truncated: z.literal(true),
  statusUrl: z.string(),
});

const counted = z.number().int().min(0);
const ErrorInfo = z.object({ code: z.string(), message: z.string() });

const Step = z.object({
  index: counted,
  streamId: z.string(),
  name: z.string(),
  wave: counted,
  status: z.string(),
  durationMs: counted.nullable(),
  tokensUsed: counted,
});

/** Operations of an artifact may come without their texts. */
const Ended = z.looseObject({
  success: z.boolean(),
  artifacts: z.array(z.looseObject({ streamId: z.string() })),
  summary: z.string(),
});

interface EventShape {
  summary: string;
  description: string;
  status: string;
  result: z.ZodType;
  more?: z.ZodRawShape;
}

const EVENTS = {
  'execution.started': {
    summary: 'An execution started',
    description: 'Sent when the execution is accepted.',
    status: 'running',
    result: z.object({ task: z.string(), maxSteps: counted, dryRun: z.boolean() }),
  },
  'execution.step_completed': {
    summary: 'A step completed',
    description: 'Sent for each completed step.',
    status: 'running',
    result: z.object({ step: Step }),
  },
  'execution.completed': {
    summary: 'An execution completed',
    description: 'The last event of the execution.',
    status: 'completed',
    result: Ended,
  },
  'execution.failed': {
    summary: 'An execution failed',
    description: 'The last event of the execution. `error` says why it failed.',
    status: 'failed',
    result: Ended,
    more: { error: ErrorInfo.optional() },
  },
  'execution.cancelled': {
    summary: 'An execution was cancelled',
    description: 'The last event of the execution. `finalState` shows how far it got.',
    status: 'cancelled',
    result: Ended,
    more: { finalState: z.looseObject({ tokensUsed: counted }).optional() },
  },
} as const satisfies Record<string, EventShape>;

export interface WebhookEvent {
  event: string;
  summary: string;
  description: string;
  schema: z.ZodType;
}

function payload(event: string, data: z.ZodType): z.ZodType {
  const timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC' });
  return z.object({ event: z.literal(event), timestamp, data });
}

function describe(event: string, shape: EventShape): WebhookEvent {
  const { summary, description, status, result, more } = shape;
  const data = z.looseObject({
    executionId: z.string().meta({ example: 'exec_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    status: z.literal(status),
    sequence: counted.meta({ description: 'Position of the event in its execution' }),
    result: z.union([result, Cut]),
    ...more,
    truncated,
    statusUrl,
  });
  return { event, summary, description, schema: payload(event, data) };
}

const BudgetData = z.looseObject({
  teamId: z.string().meta({ example: 'team_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
  month: z.string().meta({ example: '2026-11', description: 'UTC month' }),
  limitUsd: z.number(),
  spentUsd: z.number().meta({ description: 'Spent this month' }),
  reservedUsd: z.number().meta({ description: 'What open jobs may still cost' }),
});

const BUDGET_EVENTS = {
  'usage.budget_warning': {
    summary: "80% of a team's budget is spent",
    description: 'Sent once a month for each limit.',
  },
  'usage.budget_exceeded': {
    summary: "A team's budget is spent",
    description:
      'Sent when the whole budget is spent; once a month for each limit. A job that is refused because it might not fit sends nothing.',
  },
} as const;

const ApprovalData = z.looseObject({
  approvalId: z.string().meta({ example: 'apr_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
  teamId: z.string(),
  kind: z.enum(Object.keys(APPROVAL_KINDS)),
  status: z.enum(APPROVAL_STATUSES),
  title: z.string().meta({ description: 'What is asked, in one line' }),
  runId: z.string(),
  streamId: z.string().nullable(),
  requestedBy: z.string().meta({ description: 'Email address' }),
  expiresAt: z.iso.datetime(),
  path: z.string().meta({ description: 'Path of its page, where a person answers it' }),
  resolvedBy: z.string().nullable().optional().meta({ description: 'Email address, if anybody' }),
  resolvedAt: z.iso.datetime().optional(),
  expired: z.boolean().optional().meta({ description: 'Denied because nobody answered in time' }),
});

const APPROVAL_EVENTS = {
  'approval.requested': {
    summary: 'A run asks for approval',
    description: 'Says what is asked, without the changes. `path` opens the question.',
  },
  'approval.resolved': {
    summary: 'An approval was answered',
    description: 'Also sent when its time is over, which denies it, and when the run withdraws it.',
  },
} as const;

const PausedData = z.looseObject({
  teamId: z.string(),
  name: z.string(),
  reason: z.enum(Object.keys(PAUSE_REASONS)).meta({ description: 'Why it was paused' }),
  path: z.string().meta({ description: 'Path of its page, where it is resumed' }),
});

const PAUSED_EVENTS = {
  'schedule.paused': {
    summary: 'A schedule was paused by the server',
    description: 'It starts nothing until a person resumes it.',
    data: PausedData.extend({ scheduleId: z.string() }),
  },
  'trigger.paused': {
    summary: 'A trigger was paused by the server',
    description: 'It starts nothing until a person resumes it.',
    data: PausedData.extend({ triggerId: z.string() }),
  },
} as const;

export const WEBHOOK_EVENTS: readonly WebhookEvent[] = [
  ...Object.entries(EVENTS).map(([event, shape]) => describe(event, shape)),
  ...Object.entries(BUDGET_EVENTS).map(([event, texts]) => ({
    event,
    ...texts,
    schema: payload(event, BudgetData),
  })),
  ...Object.entries(APPROVAL_EVENTS).map(([event, texts]) => ({
    event,
    ...texts,
    schema: payload(event, ApprovalData),
  })),
  ...Object.entries(PAUSED_EVENTS).map(([event, { data, ...texts }]) => ({
    event,
    ...texts,
    schema: payload(event, data),
  })),
];
