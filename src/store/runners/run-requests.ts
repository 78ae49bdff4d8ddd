// Run requests: taken by one runner at a time, for as long as it says that it is there. Each taking has a number and a
// token of its own; what comes with those of an earlier one changes nothing.
import type {
  RequestOrigin,
  RequestWriter,
  RunRequestOutcome,
  RunRequestStatus,
  RunRequestWork,
} from '../../contract/run-request-api.ts';
import type { Tiers } from '../../domain/job/tiers.ts';
import type { Queryable } from '../postgres/db.ts';
import { KEPT, keptValues } from '../runs/kept-days.ts';

export interface RunRequestRow {
  id: string;
  teamId: string;
  userId: string;
  email: string;
  userName: string | null;
  project: string;
  originKind: RequestOrigin;
  originId: string | null;
  work: RunRequestWork;
  writer: RequestWriter | null;
  status: RunRequestStatus;
  runnerId: string | null;
  runnerName: string | null;
  onlyRunner: string | null;
  fence: number;
  losses: number;
  runIds: string[];
  base: string | null;
  isCancelled: boolean;
  outcome: RunRequestOutcome | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
}

const COLUMNS = `r.id, r.team_id as "teamId", r.user_id as "userId", u.email, u.name as "userName",
  r.project, r.origin_kind as "originKind", r.origin_id as "originId", r.work, r.writer, r.status,
  r.runner_id as "runnerId", r.runner_name as "runnerName", r.only_runner as "onlyRunner", r.fence,
  r.losses, r.run_ids as "runIds", r.base, r.cancel_at is not null as "isCancelled", r.outcome,
  r.created_at as "createdAt", r.started_at as "startedAt", r.ended_at as "endedAt"`;
const FROM = 'from run_requests r join users u on u.id = r.user_id';

export interface NewRunRequest {
  id: string;
  teamId: string;
  userId: string;
  apiKeyId: string | null;
  work: RunRequestWork;
  origin: { kind: RequestOrigin; id: string | null };
  writer: RequestWriter | null;
  onlyRunner: string | null;
}

export async function insertRunRequest(tx: Queryable, request: NewRunRequest): Promise<void> {
  const { work, origin } = request;
  await tx.query(
    `insert into run_requests (id, team_id, user_id, api_key_id, project, origin_kind, origin_id, work,
       labels, in_place, writer, priority, only_runner)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      request.id,
      request.teamId,
      request.userId,
      request.apiKeyId,
      work.project,
      origin.kind,
      origin.id,
      JSON.stringify(work),
      work.labels,
      work.inPlace,
      request.writer === null ? null : JSON.stringify(request.writer),
      work.priority,
      request.onlyRunner,
    ],
  );
}

export async function findRunRequest(
  db: Queryable,
  id: string,
): Promise<RunRequestRow | undefined> {
  const { rows } = await db.query<RunRequestRow>(`select ${COLUMNS} ${FROM} where r.id = $1`, [id]);
  return rows[0];
}

/** Newest first. */
export async function listRunRequests(
  db: Queryable,
  teamId: string,
  query: {
    status: RunRequestStatus | 'open' | undefined;
    project: string | undefined;
    /** Those that have made it, or were asked to do something with it. */
    runId: string | undefined;
    before: string | undefined;
    limit: number;
  },
): Promise<RunRequestRow[]> {
  const status = query.status === 'open' ? ['queued', 'running'] : query.status && [query.status];
  const { rows } = await db.query<RunRequestRow>(
    `select ${COLUMNS} ${FROM}
     where r.team_id = $1 and ($2::text[] is null or r.status = any($2))
       and ($3::text is null or r.project = $3) and ($4::text is null or r.id < $4)
       and ($5::text is null or r.run_ids @> array[$5::text] or r.work -> 'run' ->> 'id' = $5)
     order by r.id desc limit $6`,
    [
      teamId,
      status ?? null,
      query.project ?? null,
      query.before ?? null,
      query.runId ?? null,
      query.limit,
    ],
  );
  return rows;
}

/** The caller holds the team. */
export async function countQueued(tx: Queryable, teamId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::int as count from run_requests where team_id = $1 and status = 'queued'`,
    [teamId],
  );
  return rows[0]!.count;
}

/** Which runner has made a run: its files are there. */
export async function findRunnerOfRun(
  db: Queryable,
  { teamId, runId }: { teamId: string; runId: string },
): Promise<{ runnerId: string; project: string } | undefined> {
  const { rows } = await db.query<{ runnerId: string; project: string }>(
    `select runner_id as "runnerId", project from run_requests
     where team_id = $1 and run_ids @> array[$2::text] and runner_id is not null order by id desc limit 1`,
    [teamId, runId],
  );
  return rows[0];
}

/**
 * Takes one: of the members of the team the one first who has the least under way, then by priority, then the oldest.
 * The caller holds the projects, so that of two runners at once neither takes more than the project allows.
 */
export async function claimRunRequest(
  tx: Queryable,
  runner: {
    id: string;
    name: string;
    teamId: string;
    labels: readonly string[];
    /** Of which it can take another one. */
    projects: readonly string[];
    leaseSeconds: number;
  },
  tokenHash: Buffer,
): Promise<RunRequestRow | undefined> {
  const { rows } = await tx.query<{ id: string }>(
    `update run_requests r set status = 'running', runner_id = $1, runner_name = $2, fence = fence + 1,
       losses = losses + (runner_id is not null)::int, token_hash = $3, lease_until = now() + make_interval(secs => $4),
       started_at = coalesce(started_at, now()),
       only_runner = case when r.in_place then $1 else r.only_runner end
     where r.id = (
       select q.id from run_requests q
       join teams t on t.id = q.team_id
       join projects p on p.team_id = q.team_id and p.name = q.project
       join runner_projects k on k.runner_id = $1 and k.name = q.project
       join users u on u.id = q.user_id and u.suspended_at is null
       join team_members m on m.team_id = q.team_id and m.user_id = q.user_id and m.role <> 'viewer'
       where q.team_id = $5 and q.status = 'queued' and q.project = any($6)
         and (q.only_runner is null or q.only_runner = $1)
         and q.labels <@ $7 and (k.in_place or not q.in_place)
         and (p.max_running is null or p.max_running > (
           select count(*) from run_requests o
           where o.team_id = q.team_id and o.project = q.project and o.status = 'running'))
         and coalesce((t.settings ->> 'maxRunningRequests')::int > (
           select count(*) from run_requests o
           where o.team_id = q.team_id and o.status = 'running'), true)
       order by (select count(*) from run_requests o
           where o.team_id = q.team_id and o.user_id = q.user_id and o.status = 'running'),
         q.priority desc, q.id
       limit 1 for update of q skip locked)
     returning r.id`,
    [
      runner.id,
      runner.name,
      tokenHash,
      runner.leaseSeconds,
      runner.teamId,
      runner.projects,
      runner.labels,
    ],
  );
  return rows[0] && findRunRequest(tx, rows[0].id);
}

/** What a runner has, by this table, and does not know of. */
export async function listUnknown(
  db: Queryable,
  runnerId: string,
  known: readonly string[],
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from run_requests where runner_id = $1 and status = 'running' and id <> all($2)`,
    [runnerId, known],
  );
  return rows.map(({ id }) => id);
}

/** With another number and token: what the process before it still sends does not count. */
export async function claimAgain(
  db: Queryable,
  { id, runnerId, leaseSeconds }: { id: string; runnerId: string; leaseSeconds: number },
  tokenHash: Buffer,
): Promise<RunRequestRow | undefined> {
  const { rowCount } = await db.query(
    `update run_requests set fence = fence + 1, token_hash = $3,
       lease_until = now() + make_interval(secs => $4)
     where id = $1 and runner_id = $2 and status = 'running'`,
    [id, runnerId, tokenHash, leaseSeconds],
  );
  return rowCount > 0 ? findRunRequest(db, id) : undefined;
}

/**
 * Those of what a runner says it runs that are its own, with whether each must be stopped. One whose lease is over is
 * its own until another runner takes it: a server that was down for a while costs nobody their work.
 */
export async function renewLeases(
  db: Queryable,
  runnerId: string,
  running: readonly { id: string; fence: number }[],
  leaseSeconds: number,
): Promise<{ id: string; isCancelled: boolean }[]> {
  if (running.length === 0) return [];
  const { rows } = await db.query<{ id: string; isCancelled: boolean }>(
    `update run_requests r set status = 'running', lease_until = now() + make_interval(secs => $4)
     from unnest($2::text[], $3::int[]) as s (id, fence)
     where r.id = s.id and r.fence = s.fence and r.runner_id = $1
       and r.status in ('running', 'queued')
     returning r.id, r.cancel_at is not null as "isCancelled"`,
    [runnerId, running.map(({ id }) => id), running.map(({ fence }) => fence), leaseSeconds],
  );
  return rows;
}

/** Nobody else has taken it since, and it was not given back. */
const HELD = `r.id = $1 and r.fence = $2 and r.runner_id is not null and r.status in ('running', 'queued')`;

export interface Held {
  id: string;
  fence: number;
}

/** False when it is not with that runner any more. */
export async function updateProgress(
  tx: Queryable,
  { id, fence }: Held,
  { runId, base }: { runId: string | undefined; base: string | undefined },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update run_requests r set base = coalesce(r.base, $4),
       run_ids = case when $3::text is null or $3 = any(r.run_ids) then r.run_ids
         else r.run_ids || $3::text end
     where ${HELD}`,
    [id, fence, runId ?? null, base ?? null],
  );
  return rowCount > 0;
}

export async function completeRunRequest(
  tx: Queryable,
  { id, fence }: Held,
  end: { status: 'completed' | 'failed' | 'cancelled'; outcome: RunRequestOutcome },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update run_requests r set status = $3, outcome = $4, ended_at = now(), lease_until = null,
       token_hash = null
     where ${HELD}`,
    [id, fence, end.status, JSON.stringify(end.outcome)],
  );
  if (rowCount > 0) await deleteAnswers(tx, [id]);
  return rowCount > 0;
}

/** Back into the queue, at the place that its age gives it. */
export async function releaseRunRequest(tx: Queryable, { id, fence }: Held): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update run_requests r set status = 'queued', lease_until = null, token_hash = null,
       runner_id = null
     where ${HELD}`,
    [id, fence],
  );
  return rowCount > 0;
}

/** Ends what waits; what is under way its runner has to stop. Those that it changed. */
export async function cancelRunRequests(
  tx: Queryable,
  ids: readonly string[],
  message: string,
): Promise<{ id: string; status: RunRequestStatus }[]> {
  const { rows } = await tx.query<{ id: string; status: RunRequestStatus }>(
    `update run_requests r set cancel_at = coalesce(cancel_at, now()),
       status = case when status = 'queued' then 'cancelled' else status end,
       ended_at = case when status = 'queued' then now() else ended_at end,
       outcome = case when status = 'queued' then $2::jsonb else outcome end
     where r.id = any($1) and r.status in ('queued', 'running') and (r.cancel_at is null or r.status = 'queued')
     returning r.id, r.status`,
    [ids, JSON.stringify({ message })],
  );
  await deleteAnswers(
    tx,
    rows.filter(({ status }) => status === 'cancelled').map(({ id }) => id),
  );
  return rows;
}

export interface LostRequest {
  id: string;
  teamId: string;
  status: RunRequestStatus;
}

/**
 * Requests whose runner has said nothing for too long, although there was a node all the time that would have heard it:
 * back into the queue. One that should stop ends so, and one that has cost so many runners is given up: it may be the
 * reason.
 */
export async function takeBackLost(
  tx: Queryable,
  { limit, leaseSeconds, mostLosses }: { limit: number; leaseSeconds: number; mostLosses: number },
  messages: { stopped: string; givenUp: string },
): Promise<LostRequest[]> {
  const { rows } = await tx.query<LostRequest>(
    `with due as (
       select id from run_requests where status = 'running' and lease_until <= now()
         and exists (select 1 from nodes where role <> 'worker'
           and started_at <= now() - make_interval(secs => $5)
           and beat_at > now() - silent_ms * interval '1 ms')
       order by lease_until limit $1 for update skip locked)
     update run_requests r set lease_until = null,
       status = case when cancel_at is not null then 'cancelled' when losses + 1 >= $2 then 'failed'
         else 'queued' end,
       ended_at = case when cancel_at is not null or losses + 1 >= $2 then now() end,
       outcome = case when cancel_at is not null then $3::jsonb when losses + 1 >= $2 then $4::jsonb end
     from due where r.id = due.id
     returning r.id, r.team_id as "teamId", r.status`,
    [
      limit,
      mostLosses,
      JSON.stringify({ message: messages.stopped }),
      JSON.stringify({ message: messages.givenUp, failure: 'lost' }),
      leaseSeconds,
    ],
  );
  await deleteAnswers(
    tx,
    rows.filter(({ status }) => status !== 'queued').map(({ id }) => id),
  );
  return rows;
}

async function deleteAnswers(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.query('delete from run_request_answers where request_id = any($1)', [ids]);
}

/** Of a runner that was removed: what only it could do. */
export async function failOrphans(tx: Queryable, runnerId: string, message: string): Promise<void> {
  await tx.query(
    `update run_requests set status = 'failed', ended_at = now(), lease_until = null, token_hash = null,
       outcome = $2 where only_runner = $1 and status in ('queued', 'running')`,
    [runnerId, JSON.stringify({ failure: 'not_found', message })],
  );
}

/** As long as the runs of the team are kept. */
export async function deleteExpiredRequests(db: Queryable, tiers: Tiers): Promise<void> {
  await db.query(
    `with ${KEPT} delete from run_requests r using kept k where k.id = r.team_id and k.days is not null
       and r.ended_at < now() - make_interval(days => k.days)`,
    keptValues(tiers),
  );
}
