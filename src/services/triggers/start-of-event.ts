// What an event comes to, and the line in the log. In the caller's transaction, which holds the team and the trigger.
import type { Queryable } from '../../store/postgres/db.ts';
import type { PendingSignals } from '../../store/postgres/signals.ts';
import { whyIgnored } from '../../domain/trigger/match.ts';
import type { ReadEvent } from '../../domain/trigger/event.ts';
import { insertDelivery } from '../../store/triggers/deliveries.ts';
import type { FirstDelivery, NewDelivery } from '../../store/triggers/deliveries.ts';
import type { TriggerRow } from '../../store/triggers/triggers.ts';
import { startWork } from '../start-rules/start-work.ts';
import { workOfEvent, writerOf } from './work-of-event.ts';

type Outcome = Pick<NewDelivery, 'result' | 'reason' | 'requestId' | 'cancelled'>;

const nothing = (result: 'ignored' | 'skipped', reason: NewDelivery['reason']): Outcome => ({
  result,
  reason,
  requestId: null,
  cancelled: 0,
});

async function outcomeOf(
  tx: Queryable,
  pending: PendingSignals,
  trigger: TriggerRow,
  read: ReadEvent,
): Promise<Outcome> {
  if (read.kind === 'ignored') return nothing('ignored', read.reason);
  const { event } = read;
  const ignored = whyIgnored(trigger, event);
  if (ignored !== undefined) return nothing('ignored', ignored);
  if (trigger.status === 'paused') return nothing('skipped', 'inactive');
  const writer = writerOf(trigger.kind, event);
  const start = await startWork(tx, pending, {
    ...trigger,
    kind: 'trigger',
    rules: trigger,
    work: workOfEvent(trigger, event),
    ...(writer && { writer }),
  });
  return start.result === 'started'
    ? { ...start, reason: null }
    : { ...start, requestId: null, cancelled: 0 };
}

export interface EventToStart {
  read: ReadEvent;
  digest: Buffer | null;
  replayOf: string | null;
}

export async function startOfEvent(
  tx: Queryable,
  pending: PendingSignals,
  trigger: TriggerRow,
  { read, digest, replayOf }: EventToStart,
): Promise<FirstDelivery> {
  const outcome = await outcomeOf(tx, pending, trigger, read);
  const event = read.kind === 'event' ? read.event : null;
  const id = await insertDelivery(tx, {
    ...outcome,
    triggerId: trigger.id,
    digest,
    replayOf,
    event: (event?.said ?? (read.kind === 'ignored' ? read.said : '')).slice(0, 100),
    actor: event?.actor ?? null,
    facts: event,
  });
  return { id, result: outcome.result, reason: outcome.reason, requestId: outcome.requestId };
}
