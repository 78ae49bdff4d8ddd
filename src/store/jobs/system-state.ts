// What an operator asks of a server: who works, what waits, and what the database says of itself.
import type { JobWaitReason } from '../../contract/job-api.ts';
import type { Queryable } from '../postgres/db.ts';

export interface NodeRow {
  id: string;
  role: string;
  version: string;
  slots: number;
  running: number;
  startedAt: Date;
  heartbeatAgeMs: number;
}

export async function listNodes(db: Queryable): Promise<NodeRow[]> {
  const { rows } = await db.query<NodeRow>(
    `select n.id, n.role, n.version, n.slots, n.started_at as "startedAt",
       (select count(*) from jobs j where j.node_id = n.id and j.status = 'running')::int as running,
       greatest(0, extract(epoch from now() - n.beat_at) * 1000)::int as "heartbeatAgeMs"
     from nodes n order by n.started_at, n.id`,
  );
  return rows;
}

export interface OldestJobRow {
  jobId: string;
  queuedAt: Date;
  parked: boolean;
  reason: JobWaitReason | null;
  until: Date | null;
  /** JSON text. */
  detail: string | null;
}

export async function findOldestPending(db: Queryable): Promise<OldestJobRow | undefined> {
  const { rows } = await db.query<OldestJobRow>(
    `select j.id as "jobId", j.queued_at as "queuedAt", j.parked, w.reason, w.until_at as until, w.detail
     from (select id, queued_at, parked from jobs where status = 'pending'
           order by queued_at limit 1) j
     left join job_waits w on w.job_id = j.id and w.until_at > now()`,
  );
  return rows[0];
}

export async function countParked(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from jobs where parked',
  );
  return rows[0]?.count ?? 0;
}

export interface WaitGroupRow {
  reason: JobWaitReason;
  provider: string;
  jobs: number;
  until: Date | null;
}

export async function listWaitGroups(db: Queryable): Promise<WaitGroupRow[]> {
  const { rows } = await db.query<WaitGroupRow>(
    `select w.reason, j.provider, count(*)::int as jobs, max(w.until_at) as until
     from job_waits w join jobs j on j.id = w.job_id
     where w.until_at > now() and j.status in ('pending', 'running')
     group by w.reason, j.provider
     union all
     select 'concurrency', provider, count(*)::int, null from jobs where parked group by provider
     order by jobs desc, reason, provider`,
  );
  return rows;
}

export interface DatabaseRow {
  version: string;
  sizeBytes: number;
  schemaVersion: number;
  schemaName: string;
}

export async function findDatabase(db: Queryable): Promise<DatabaseRow> {
  const { rows } = await db.query<DatabaseRow>(
    `select current_setting('server_version') as version,
       pg_database_size(current_database())::float8 as "sizeBytes",
       m.version as "schemaVersion", m.name as "schemaName"
     from millrace_migrations m order by m.version desc limit 1`,
  );
  return rows[0]!;
}
