// The log of a schedule: what each of its times came to.
import { KEPT_FIRINGS } from '../../contract/schedule-api.ts';
import type { ScheduleFiring } from '../../contract/schedule-api.ts';
import { newId } from '../../platform/ids.ts';
import type { Queryable } from '../postgres/db.ts';

export interface NewFiring {
  scheduleId: string;
  cause: ScheduleFiring['cause'];
  dueAt: Date | null;
  result: ScheduleFiring['result'];
  reason: ScheduleFiring['reason'];
  requestId: string | null;
  missed: number;
  cancelled: number;
}

/** Older ones than are kept go. Its id. */
export async function insertFiring(tx: Queryable, firing: NewFiring): Promise<string> {
  const id = newId('fire');
  await tx.query(
    `insert into schedule_firings
       (id, schedule_id, cause, due_at, result, reason, request_id, missed, cancelled)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      id,
      firing.scheduleId,
      firing.cause,
      firing.dueAt,
      firing.result,
      firing.reason,
      firing.requestId,
      firing.missed,
      firing.cancelled,
    ],
  );
  await tx.query(
    `delete from schedule_firings where schedule_id = $1 and id <= (
       select id from schedule_firings where schedule_id = $1 order by id desc offset $2 limit 1)`,
    [firing.scheduleId, KEPT_FIRINGS],
  );
  return id;
}

/** Also after the database's clock was put back. */
export async function isFired(tx: Queryable, scheduleId: string, dueAt: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    'select 1 from schedule_firings where schedule_id = $1 and due_at = $2',
    [scheduleId, dueAt],
  );
  return rowCount > 0;
}

interface FiringRow {
  id: string;
  scheduleId: string;
  at: Date;
  cause: ScheduleFiring['cause'];
  dueAt: Date | null;
  result: ScheduleFiring['result'];
  reason: ScheduleFiring['reason'];
  missed: number;
  cancelled: number;
  requestId: string | null;
  requestStatus: NonNullable<ScheduleFiring['request']>['status'] | null;
  runId: string | null;
  endedAt: Date | null;
}

const FIELDS = `f.id, f.schedule_id as "scheduleId", f.created_at as at, f.cause, f.due_at as "dueAt", f.result,
  f.reason, f.missed, f.cancelled, f.request_id as "requestId", q.status as "requestStatus",
  q.run_ids[cardinality(q.run_ids)] as "runId", q.ended_at as "endedAt"`;

function shown(row: FiringRow): ScheduleFiring {
  const { id, cause, result, reason, missed, cancelled, requestId, requestStatus, runId } = row;
  return {
    id,
    at: row.at.toISOString(),
    cause,
    dueAt: row.dueAt?.toISOString() ?? null,
    result,
    reason,
    missed,
    cancelled,
    // A request may be past its retention.
    request:
      requestId === null || requestStatus === null
        ? null
        : {
            id: requestId,
            status: requestStatus,
            runId,
            endedAt: row.endedAt?.toISOString() ?? null,
          },
  };
}

/** Newest first. */
export async function listFirings(
  db: Queryable,
  scheduleId: string,
  limit: number,
): Promise<ScheduleFiring[]> {
  const { rows } = await db.query<FiringRow>(
    `select ${FIELDS} from schedule_firings f left join run_requests q on q.id = f.request_id
     where f.schedule_id = $1 order by f.id desc limit $2`,
    [scheduleId, limit],
  );
  return rows.map(shown);
}

/** Of each schedule that has fired. */
export async function findLastFirings(
  db: Queryable,
  scheduleIds: readonly string[],
): Promise<Map<string, ScheduleFiring>> {
  const { rows } = await db.query<FiringRow>(
    `select ${FIELDS} from unnest($1::text[]) s(id)
     cross join lateral (select * from schedule_firings o where o.schedule_id = s.id
       order by o.id desc limit 1) f
     left join run_requests q on q.id = f.request_id`,
    [scheduleIds],
  );
  return new Map(rows.map((row) => [row.scheduleId, shown(row)]));
}
