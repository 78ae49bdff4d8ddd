// What came for a trigger, and what came of it.
import { KEPT_DELIVERIES } from '../../contract/trigger-api.ts';
import type { TriggerDelivery } from '../../contract/trigger-api.ts';
import type { TriggerEvent } from '../../domain/trigger/event.ts';
import { newId } from '../../platform/ids.ts';
import type { Queryable } from '../postgres/db.ts';

export interface NewDelivery {
  triggerId: string;
  digest: Buffer | null;
  replayOf: string | null;
  event: string;
  actor: string | null;
  result: TriggerDelivery['result'];
  reason: TriggerDelivery['reason'];
  requestId: string | null;
  cancelled: number;
  facts: TriggerEvent | null;
}

const KEPT_DAYS = 30;

/** Older ones than are kept go. Its id. */
export async function insertDelivery(tx: Queryable, delivery: NewDelivery): Promise<string> {
  const id = newId('tdel');
  await tx.query(
    `insert into trigger_deliveries
       (id, trigger_id, digest, replay_of, event, actor, result, reason, request_id, cancelled, facts)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      id,
      delivery.triggerId,
      delivery.digest,
      delivery.replayOf,
      delivery.event,
      delivery.actor,
      delivery.result,
      delivery.reason,
      delivery.requestId,
      delivery.cancelled,
      delivery.facts === null ? null : JSON.stringify(delivery.facts),
    ],
  );
  await tx.query(
    `delete from trigger_deliveries where trigger_id = $1 and (id <= (
         select id from trigger_deliveries where trigger_id = $1 order by id desc offset $2 limit 1)
       or created_at < now() - make_interval(days => ${KEPT_DAYS}))`,
    [delivery.triggerId, KEPT_DELIVERIES],
  );
  return id;
}

interface DeliveryRow {
  id: string;
  triggerId: string;
  at: Date;
  event: string;
  actor: string | null;
  result: TriggerDelivery['result'];
  reason: TriggerDelivery['reason'];
  cancelled: number;
  replayOf: string | null;
  canReplay: boolean;
  requestId: string | null;
  requestStatus: NonNullable<TriggerDelivery['request']>['status'] | null;
  runId: string | null;
  endedAt: Date | null;
}

const FIELDS = `f.id, f.trigger_id as "triggerId", f.created_at as at, f.event, f.actor, f.result, f.reason,
  f.cancelled, f.replay_of as "replayOf", f.facts is not null as "canReplay",
  f.request_id as "requestId", q.status as "requestStatus",
  q.run_ids[cardinality(q.run_ids)] as "runId", q.ended_at as "endedAt"`;

function shown(row: DeliveryRow): TriggerDelivery {
  const { triggerId: _, at, requestId, requestStatus, runId, endedAt, ...rest } = row;
  return {
    ...rest,
    at: at.toISOString(),
    // A request may be past its retention.
    request:
      requestId === null || requestStatus === null
        ? null
        : { id: requestId, status: requestStatus, runId, endedAt: endedAt?.toISOString() ?? null },
  };
}

/** Newest first. */
export async function listTriggerDeliveries(
  db: Queryable,
  triggerId: string,
  { limit, before }: { limit: number; before: string | undefined },
): Promise<TriggerDelivery[]> {
  const { rows } = await db.query<DeliveryRow>(
    `select ${FIELDS} from trigger_deliveries f left join run_requests q on q.id = f.request_id
     where f.trigger_id = $1 and ($3::text is null or f.id < $3) order by f.id desc limit $2`,
    [triggerId, limit, before ?? null],
  );
  return rows.map(shown);
}

/** Of each trigger that has had any. */
export async function findLastDeliveries(
  db: Queryable,
  triggerIds: readonly string[],
): Promise<Map<string, TriggerDelivery>> {
  const { rows } = await db.query<DeliveryRow>(
    `select ${FIELDS} from unnest($1::text[]) s(id)
     cross join lateral (select * from trigger_deliveries o where o.trigger_id = s.id
       order by o.id desc limit 1) f
     left join run_requests q on q.id = f.request_id`,
    [triggerIds],
  );
  return new Map(rows.map((row) => [row.triggerId, shown(row)]));
}

export interface FirstDelivery {
  id: string;
  result: TriggerDelivery['result'];
  reason: TriggerDelivery['reason'];
  requestId: string | null;
}

/** What the same body came to when it came first. */
export async function findByDigest(
  db: Queryable,
  triggerId: string,
  digest: Buffer,
): Promise<FirstDelivery | undefined> {
  const { rows } = await db.query<FirstDelivery>(
    `select id, result, reason, request_id as "requestId" from trigger_deliveries
     where trigger_id = $1 and digest = $2`,
    [triggerId, digest],
  );
  return rows[0];
}

/** Undefined without such a delivery; null where nothing of the event could be read. */
export async function findFacts(
  db: Queryable,
  triggerId: string,
  deliveryId: string,
): Promise<TriggerEvent | null | undefined> {
  const { rows } = await db.query<{ facts: string | null }>(
    'select facts from trigger_deliveries where trigger_id = $1 and id = $2',
    [triggerId, deliveryId],
  );
  const found = rows[0];
  return found && (found.facts === null ? null : (JSON.parse(found.facts) as TriggerEvent));
}
