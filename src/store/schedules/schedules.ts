// Schedules as their owners see and change them, and which are due.
import type { Overlap, PauseReason } from '../../contract/start-reasons.ts';
import type { RunRequestWork } from '../../contract/run-request-api.ts';
import type { CatchUp } from '../../domain/schedule/due.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { createStarterRows } from '../start-rules/starter-rows.ts';

export interface ScheduleRow {
  id: string;
  teamId: string;
  userId: string;
  email: string;
  userName: string | null;
  apiKeyId: string | null;
  name: string;
  cron: string | null;
  timeZone: string | null;
  everySeconds: number | null;
  countedFrom: Date;
  work: RunRequestWork;
  catchUp: CatchUp;
  overlap: Overlap;
  budgetUsd: number | null;
  pauseAfterFailures: number | null;
  status: 'active' | 'paused';
  pausedReason: PauseReason | null;
  pausedAt: Date | null;
  activeSince: Date;
  nextAt: Date | null;
  createdAt: Date;
}

interface StoredRow extends Omit<ScheduleRow, 'work'> {
  work: string;
}

const SELECT = `select s.id, s.team_id as "teamId", s.user_id as "userId", u.email, u.name as "userName",
    s.api_key_id as "apiKeyId", s.name, s.cron, s.time_zone as "timeZone",
    s.every_seconds as "everySeconds", s.counted_from as "countedFrom", s.work, s.catch_up as "catchUp",
    s.overlap, s.budget_usd as "budgetUsd", s.pause_after_failures as "pauseAfterFailures", s.status,
    s.paused_reason as "pausedReason", s.paused_at as "pausedAt", s.active_since as "activeSince",
    s.next_at as "nextAt", s.created_at as "createdAt"
  from schedules s join users u on u.id = s.user_id`;

const read = ({ work, ...row }: StoredRow): ScheduleRow => ({
  ...row,
  work: JSON.parse(work) as RunRequestWork,
});

/** What a person sets. */
export type ScheduleFields = Pick<
  ScheduleRow,
  | 'userId'
  | 'apiKeyId'
  | 'name'
  | 'cron'
  | 'timeZone'
  | 'everySeconds'
  | 'countedFrom'
  | 'work'
  | 'catchUp'
  | 'overlap'
  | 'budgetUsd'
  | 'pauseAfterFailures'
  | 'status'
  | 'pausedReason'
  | 'nextAt'
>;

const COLUMNS: Record<keyof ScheduleFields, string> = {
  userId: 'user_id',
  apiKeyId: 'api_key_id',
  name: 'name',
  cron: 'cron',
  timeZone: 'time_zone',
  everySeconds: 'every_seconds',
  countedFrom: 'counted_from',
  work: 'work',
  catchUp: 'catch_up',
  overlap: 'overlap',
  budgetUsd: 'budget_usd',
  pauseAfterFailures: 'pause_after_failures',
  status: 'status',
  pausedReason: 'paused_reason',
  nextAt: 'next_at',
};

export const {
  insert: insertSchedule,
  update: updateSchedule,
  lockCount: lockScheduleCount,
} = createStarterRows<ScheduleFields>('schedule', COLUMNS, ['work']);

/** Newest first. */
export async function listSchedules(db: Queryable, teamId: string): Promise<ScheduleRow[]> {
  const { rows } = await db.query<StoredRow>(`${SELECT} where s.team_id = $1 order by s.id desc`, [
    teamId,
  ]);
  return rows.map(read);
}

export async function findSchedule(db: Queryable, id: string): Promise<ScheduleRow | undefined> {
  const { rows } = await db.query<StoredRow>(`${SELECT} where s.id = $1`, [id]);
  return rows[0] && read(rows[0]);
}

/** Until the transaction ends nobody else changes it. The caller holds the team. */
export async function lockSchedule(tx: Queryable, id: string): Promise<ScheduleRow | undefined> {
  const { rows } = await tx.query<StoredRow>(`${SELECT} where s.id = $1 for update of s`, [id]);
  return rows[0] && read(rows[0]);
}

export async function deleteSchedule(tx: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from schedules where id = $1', [id]);
  return rowCount > 0;
}

/** The longest waiting first. */
export async function listDue(
  db: Queryable,
  limit: number,
): Promise<{ id: string; teamId: string }[]> {
  const { rows } = await db.query<{ id: string; teamId: string }>(
    `select id, team_id as "teamId" from schedules
     where status = 'active' and next_at <= now() order by next_at limit $1`,
    [limit],
  );
  return rows;
}

/** Undefined when another node was faster, or it was paused. With the time by the database's clock. */
export async function lockDue(
  tx: Queryable,
  id: string,
): Promise<{ schedule: ScheduleRow & { nextAt: Date }; now: Date } | undefined> {
  const { rows } = await tx.query<StoredRow & { nextAt: Date; now: Date }>(
    `${SELECT.replace('\n  from', ', now() as now\n  from')}
     where s.id = $1 and s.status = 'active' and s.next_at <= now() for update of s skip locked`,
    [id],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  const { now, ...stored } = row;
  return { schedule: { ...read(stored), nextAt: row.nextAt }, now };
}

export async function updateNext(tx: Queryable, id: string, nextAt: Date | null): Promise<void> {
  await tx.query('update schedules set next_at = $2 where id = $1', [id, nextAt]);
}

const UNTIL_NEXT = {
  name: 'schedules_until_next',
  text: `select extract(epoch from min(next_at) - now())::float8 * 1000 as ms from schedules
    where status = 'active'`,
};

/** Milliseconds; undefined when none will be due. */
export async function findUntilNext(db: Db): Promise<number | undefined> {
  const { rows } = await db.read<{ ms: number | null }>(UNTIL_NEXT);
  return rows[0]?.ms ?? undefined;
}

export async function findNow(db: Queryable): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>('select now() as now');
  return rows[0]!.now;
}
