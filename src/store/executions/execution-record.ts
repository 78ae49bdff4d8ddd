// Events of an execution: kept for readers who follow it, and told to webhooks.
import type { ExecutionEventName } from '../../domain/webhook/webhook-events.ts';
import type { Queryable } from '../postgres/db.ts';
import type { Effects } from './execution-effects.ts';
import { emitEvent } from '../webhooks/webhook-outbox.ts';

export interface EventSource {
  id: string;
  teamId: string;
  userId: string;
  /** Counts on with each event. */
  sequence: number;
  now: Date;
}

export interface NewEvent {
  event: ExecutionEventName;
  /** What webhooks are told, beside the execution and the number of the event. */
  data: Record<string, unknown>;
  /** What is kept; nothing for the last event, which tells of the execution itself. */
  kept: Record<string, unknown> | null;
}

/** `source.sequence` is to be saved with the execution. */
export async function recordEvent(
  tx: Queryable,
  source: EventSource,
  effects: Effects,
  { event, data, kept }: NewEvent,
): Promise<void> {
  source.sequence += 1;
  const { id: executionId, teamId, userId, sequence, now } = source;
  await tx.query(
    {
      name: 'execution_insert_event',
      text: `insert into execution_events (execution_id, sequence, event, data)
             values ($1, $2, $3, $4)`,
    },
    [executionId, sequence, event, kept === null ? null : JSON.stringify(kept)],
  );
  const told = { teamId, userId, executionId, event, sequence, timestamp: now, data };
  if ((await emitEvent(tx, told)) > 0) effects.hasDeliveries = true;
  effects.executions.add(executionId);
}
