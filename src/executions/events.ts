// Events of an execution: kept for readers who follow it, and sent to webhooks.
import type { ExecutionEventName } from '../domain/webhook/webhook-events.ts';
import { insertEvent } from '../store/executions/execution-rows.ts';
import type { Queryable } from '../store/postgres/db.ts';
import type { PendingSignals } from '../store/postgres/signals.ts';
import { emitEvent } from '../store/webhooks/webhook-outbox.ts';

export interface EventSource {
  id: string;
  teamId: string;
  userId: string;
  /** The number of the last event; raised here, and to be saved with the execution. */
  sequence: number;
  now: Date;
}

export interface NewEvent {
  event: ExecutionEventName;
  /** What webhooks get, beside the execution and the number of the event. */
  data: Record<string, unknown>;
  /** What is kept; nothing for the last event, which readers see in the execution itself. */
  kept: Record<string, unknown> | null;
}

export async function recordEvent(
  tx: Queryable,
  source: EventSource,
  signals: PendingSignals,
  { event, data, kept }: NewEvent,
): Promise<void> {
  source.sequence += 1;
  const { id: executionId, teamId, userId, sequence, now } = source;
  await insertEvent(tx, { executionId, sequence, event, data: kept });
  const outgoing = { teamId, userId, executionId, event, sequence, timestamp: now, data };
  if ((await emitEvent(tx, outgoing)) > 0) signals.add('webhooks');
  signals.add('progress', executionId);
}
