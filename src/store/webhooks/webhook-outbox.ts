// Events to deliver. They are written in the transaction that makes them true: either both happened
// or neither. Sending is the delivery's business.
import type { BudgetEventName } from '../../domain/usage/team-budget.ts';
import { webhookBody } from '../../domain/webhook/webhook-body.ts';
import type {
  ApprovalEventName,
  ExecutionEventName,
  StarterEventName,
} from '../../domain/webhook/webhook-events.ts';
import { TEST_EVENT } from '../../domain/webhook/webhook-events.ts';
import { newId } from '../../platform/ids.ts';
import type { Queryable } from '../postgres/db.ts';

export interface ExecutionEvent {
  teamId: string;
  userId: string;
  executionId: string;
  event: ExecutionEventName;
  /** Counts the events of one execution. A second event with the same one is not written. */
  sequence: number;
  timestamp: Date;
  /** status, result and what else the event has; executionId and sequence are added. */
  data: Record<string, unknown>;
}

const FIND_LISTENERS = {
  name: 'webhook_listeners',
  text: `select id from webhooks
         where team_id = $1 and execution_id is null and status = 'active'
           and (events @> array['*'] or $3 = any(events))
         union all
         select id from webhooks where execution_id = $2 and status = 'active'`,
};

const INSERT_EVENT = {
  name: 'webhook_insert_event',
  text: `with event as (
      insert into webhook_events (id, user_id, execution_id, sequence, event, body, team_id)
      values ($1, $2, $3, $4, $5, $6, $9)
      on conflict (execution_id, sequence) do nothing returning id
    )
    insert into webhook_deliveries (id, webhook_id, event_id, status)
    select v.id, v.webhook_id, event.id, 'pending'
    from event cross join unnest($7::text[], $8::text[]) v(id, webhook_id)`,
};

/**
 * Writes the event and a delivery for each webhook that asked for it. Returns how many there are:
 * after the commit, `signals.emit('webhooks')` makes them start at once when there are any (without
 * it they start within a second).
 */
export async function emitEvent(tx: Queryable, event: ExecutionEvent): Promise<number> {
  const { teamId, userId, executionId, sequence } = event;
  const listeners = await tx.query<{ id: string }>(FIND_LISTENERS, [
    teamId,
    executionId,
    event.event,
  ]);
  // What nobody asked for is not kept: it holds the texts of the task and its result.
  if (listeners.rows.length === 0) return 0;
  const payload = {
    event: event.event,
    timestamp: event.timestamp.toISOString(),
    data: { executionId, ...event.data, sequence },
  };
  const { rowCount } = await tx.query(INSERT_EVENT, [
    newId('evt'),
    userId,
    executionId,
    sequence,
    event.event,
    webhookBody(payload, `/v1/executions/${executionId}`),
    listeners.rows.map(() => newId('del')),
    listeners.rows.map(({ id }) => id),
    teamId,
  ]);
  return rowCount;
}

/** With the work that they are about, whether or not they were sent: they hold its texts. */
export async function deleteEventsOf(
  tx: Queryable,
  executionIds: readonly string[],
): Promise<void> {
  if (executionIds.length === 0) return;
  await tx.query(
    `with events as (delete from webhook_events where execution_id = any($1) returning id),
       deliveries as (
         delete from webhook_deliveries where event_id in (select id from events) returning id)
     delete from webhook_attempts where delivery_id in (select id from deliveries)`,
    [executionIds],
  );
}

/** An event about the team itself. The same holds for what is returned. */
export async function emitTeamEvent(
  tx: Queryable,
  event: {
    teamId: string;
    event: BudgetEventName | ApprovalEventName | StarterEventName;
    timestamp: Date;
    data: Record<string, unknown>;
  },
): Promise<number> {
  const { teamId, data } = event;
  const listeners = await tx.query<{ id: string }>(FIND_LISTENERS, [teamId, null, event.event]);
  if (listeners.rows.length === 0) return 0;
  const body = { event: event.event, timestamp: event.timestamp.toISOString(), data };
  const { rowCount } = await tx.query(INSERT_EVENT, [
    newId('evt'),
    null,
    null,
    null,
    event.event,
    JSON.stringify(body),
    listeners.rows.map(() => newId('del')),
    listeners.rows.map(({ id }) => id),
    teamId,
  ]);
  return rowCount;
}

/** A test event for one webhook, whatever events it asks for. */
export async function emitTestEvent(
  db: Queryable,
  webhook: { id: string; userId: string; teamId: string },
  timestamp: Date,
): Promise<{ deliveryId: string; eventId: string }> {
  const ids = { deliveryId: newId('del'), eventId: newId('evt') };
  const body = JSON.stringify({
    event: TEST_EVENT,
    timestamp: timestamp.toISOString(),
    data: { webhookId: webhook.id, message: 'This is a test event.' },
  });
  await db.query(INSERT_EVENT, [
    ids.eventId,
    webhook.userId,
    null,
    null,
    TEST_EVENT,
    body,
    [ids.deliveryId],
    [webhook.id],
    webhook.teamId,
  ]);
  return ids;
}
