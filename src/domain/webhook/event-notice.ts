// An event in words, for a chat: what happened, to what, and where to look. It never carries a way to answer; a chat may be
// read by people who may not.
import { z } from 'zod';
import { PAUSE_REASONS } from '../../contract/start-reasons.ts';
import { TEST_EVENT } from './webhook-events.ts';

export interface Notice {
  /** Words of ours. */
  lead: string;
  /** What it is about, as a person or a model wrote it. */
  title: string;
  facts: readonly (readonly [name: string, value: string])[];
  /** A page of the dashboard. */
  link?: { text: string; path: string };
}

const MAX_TITLE = 500;
const MAX_FACT = 300;

/** One line without control characters, of bounded length. */
function line(text: string, max: number): string {
  const plain = text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
  return (plain.length > max ? `${plain.slice(0, max - 1)}…` : plain).toWellFormed();
}

const text = z.string().nullish().catch(undefined);
const amount = z.number().catch(0);

const Approval = z.object({
  kind: text,
  status: text,
  title: text,
  runId: text,
  streamId: text,
  requestedBy: text,
  resolvedBy: text,
  expiresAt: text,
  path: text,
});
const Execution = z.object({
  executionId: text,
  result: z
    .object({
      task: text,
      summary: text,
      step: z.object({ name: text }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
  error: z.object({ message: text }).nullish().catch(undefined),
});
const Budget = z.object({ month: text, limitUsd: amount, spentUsd: amount });
const Paused = z.object({ name: text, reason: text, path: text });
const Event = z.object({ event: z.string(), data: z.looseObject({}).catch({}) });

type Fact = readonly [string, string | null | undefined];
const factsOf = (facts: readonly Fact[]): (readonly [string, string])[] =>
  facts.flatMap(([name, value]) => (value ? [[name, line(value, MAX_FACT)] as const] : []));

const ENDED: Readonly<Record<string, string>> = {
  approved: 'Approved',
  denied: 'Denied',
  withdrawn: 'No longer asked',
};

function ofApproval(event: string, data: unknown): Notice {
  const about = Approval.parse(data);
  const { kind, status, title, runId, streamId, requestedBy, resolvedBy, expiresAt, path } = about;
  const isOpen = event === 'approval.requested';
  const needs = kind === 'question' ? 'A question' : 'Approval needed';
  const ended = status === 'denied' && !resolvedBy ? 'Not answered in time' : ENDED[status ?? ''];
  return {
    lead: isOpen ? needs : (ended ?? 'Answered'),
    title: line(title ?? '', MAX_TITLE),
    facts: factsOf([
      ['Asked by', requestedBy],
      ['Answered by', resolvedBy],
      ['Run', runId],
      ['Stream', streamId],
      ['Until', isOpen ? expiresAt : undefined],
    ]),
    ...(path && { link: { text: isOpen ? 'Open the question' : 'Open it', path } }),
  };
}

const LEADS: Readonly<Record<string, string>> = {
  'execution.started': 'Execution started',
  'execution.step_completed': 'Step completed',
  'execution.completed': 'Execution completed',
  'execution.failed': 'Execution failed',
  'execution.cancelled': 'Execution cancelled',
};

function ofExecution(event: string, data: unknown): Notice {
  const { executionId, result, error } = Execution.parse(data);
  const said = error?.message ?? result?.step?.name ?? result?.task ?? result?.summary ?? '';
  return {
    lead: LEADS[event] ?? 'Execution',
    title: line(said, MAX_TITLE),
    facts: factsOf([['Execution', executionId]]),
    ...(executionId && {
      link: { text: 'Open the execution', path: `/executions/${encodeURIComponent(executionId)}` },
    }),
  };
}

function ofBudget(event: string, data: unknown): Notice {
  const { month, limitUsd, spentUsd } = Budget.parse(data);
  const share = event === 'usage.budget_warning' ? '80% of the budget' : 'The budget';
  return {
    lead: `${share} is spent`,
    title: `$${spentUsd.toFixed(2)} of $${limitUsd.toFixed(2)}`,
    facts: factsOf([['Month', month]]),
    link: { text: 'Open the usage', path: '/usage' },
  };
}

function ofPaused(event: string, data: unknown): Notice {
  const { name, reason, path } = Paused.parse(data);
  const known: Readonly<Record<string, string>> = PAUSE_REASONS;
  return {
    lead: event === 'schedule.paused' ? 'Schedule paused' : 'Trigger paused',
    title: line(name ?? '', MAX_TITLE),
    facts: factsOf([['Why', known[reason ?? ''] ?? reason]]),
    ...(path && { link: { text: 'Open it', path } }),
  };
}

/** `body`: what a receiver of our own format gets. */
export function noticeOf(body: string): Notice {
  const { event, data } = Event.parse(JSON.parse(body));
  if (event.startsWith('approval.')) return ofApproval(event, data);
  if (event.startsWith('execution.')) return ofExecution(event, data);
  if (event.startsWith('usage.budget_')) return ofBudget(event, data);
  if (event.endsWith('.paused')) return ofPaused(event, data);
  const said = event === TEST_EVENT ? 'This is a test event.' : event;
  return { lead: 'Millrace', title: line(said, MAX_TITLE), facts: [] };
}
