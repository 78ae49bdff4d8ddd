// What command lines report of their runs: events, how far they are, what they changed.
import { REPORT_SILENCE_MS } from '../../contract/run-progress.ts';
import type { LiveRun, RunProgress } from '../../contract/run-progress.ts';
import type {
  ReportRunRequest,
  ReportedRun,
  RunManifest,
  StreamChanges,
} from '../../contract/run-report-api.ts';
import type { RunEvent } from '../../contract/run-events.ts';
import { isRunEnd } from '../../domain/run/events.ts';
import type { Queryable } from '../postgres/db.ts';

interface Owner {
  userId: string;
  teamId: string;
}

interface ReportRow {
  last_seq: number;
  cancel_requested_at: Date | null;
}

const UPSERT = `
  insert into run_reports as r (run_id, team_id, user_id, summary, progress, manifest)
  select $1, $2, $3, $4, $5, $6
  where not exists (select 1 from runs where id = $1 and team_id <> $2)
  on conflict (run_id) do update set summary = excluded.summary, progress = excluded.progress,
    manifest = coalesce(excluded.manifest, r.manifest), reported_at = now()
  where r.team_id = excluded.team_id
  returning last_seq, cancel_requested_at`;

/** Those that follow on what is there; the first ones may begin anywhere. */
function following(events: readonly RunEvent[], lastSeq: number): RunEvent[] {
  const fresh: RunEvent[] = [];
  let next = lastSeq === 0 ? (events[0]?.seq ?? 1) : lastSeq + 1;
  for (const event of events) {
    if (event.seq !== next) continue;
    fresh.push(event);
    next += 1;
  }
  return fresh;
}

/** Undefined when the run belongs to another team. */
export async function writeReport(
  tx: Queryable,
  owner: Owner,
  runId: string,
  report: ReportRunRequest,
): Promise<(ReportedRun & { added: number }) | undefined> {
  const { rows } = await tx.query<ReportRow>(UPSERT, [
    runId,
    owner.teamId,
    owner.userId,
    JSON.stringify(report.summary),
    JSON.stringify(report.progress),
    report.manifest === undefined ? null : JSON.stringify(report.manifest),
  ]);
  const row = rows[0];
  if (row === undefined) return undefined;
  const fresh = following(report.events, row.last_seq);
  const lastSeq = fresh.at(-1)?.seq ?? row.last_seq;
  if (fresh.length > 0) {
    await tx.query(
      'insert into run_events (run_id, seq, event) select $1, * from unnest($2::int[], $3::text[])',
      [runId, fresh.map(({ seq }) => seq), fresh.map((event) => JSON.stringify(event))],
    );
    // A run that is resumed has not ended any more; a revert comes after the end.
    const last = fresh.findLast((event) => isRunEnd(event) || event.type === 'run.started');
    const ended = last === undefined ? null : isRunEnd(last);
    await tx.query(
      `update run_reports set last_seq = $2,
         ended_at = case when $3::boolean is null then ended_at when $3 then now() end,
         cancel_requested_at = case when $3 is null then cancel_requested_at end
       where run_id = $1`,
      [runId, lastSeq, ended],
    );
  }
  for (const { streamId, files } of report.changes) {
    await tx.query(
      `insert into run_changes (run_id, stream_id, files) values ($1, $2, $3)
       on conflict (run_id, stream_id) do update set files = excluded.files`,
      [runId, streamId, JSON.stringify(files)],
    );
  }
  const cancelRequested = row.cancel_requested_at !== null;
  return { lastSeq, cancelRequested, added: fresh.length };
}

export interface RunReport {
  teamId: string;
  lastSeq: number;
  progress: Record<string, number>;
  isEnded: boolean;
  live: LiveRun;
}

const REPORT_COLUMNS = `run_id, team_id, last_seq, summary, progress, ended_at, reported_at,
  ended_at is null and reported_at > now() - make_interval(secs => ${REPORT_SILENCE_MS / 1000}) as is_live`;

interface ReadRow {
  run_id: string;
  team_id: string;
  last_seq: number;
  summary: string;
  progress: string;
  ended_at: Date | null;
  reported_at: Date;
  is_live: boolean;
}

function toReport(row: ReadRow): RunReport {
  return {
    teamId: row.team_id,
    lastSeq: row.last_seq,
    progress: JSON.parse(row.progress) as Record<string, number>,
    isEnded: row.ended_at !== null,
    live: {
      ...(JSON.parse(row.summary) as RunProgress),
      isLive: row.is_live,
      reportedAt: row.reported_at.toISOString(),
    },
  };
}

export async function findReports(
  db: Queryable,
  runIds: readonly string[],
): Promise<Map<string, RunReport>> {
  const { rows } = await db.query<ReadRow>(
    `select ${REPORT_COLUMNS} from run_reports where run_id = any($1)`,
    [runIds],
  );
  return new Map(rows.map((row) => [row.run_id, toReport(row)]));
}

/** As they were sent, in order. */
export async function listRunEvents(
  db: Queryable,
  runId: string,
  afterSeq: number,
  limit: number,
): Promise<{ seq: number; event: string }[]> {
  const { rows } = await db.query<{ seq: number; event: string }>(
    'select seq, event from run_events where run_id = $1 and seq > $2 order by seq limit $3',
    [runId, afterSeq, limit],
  );
  return rows;
}

export async function listRunChanges(db: Queryable, runId: string): Promise<StreamChanges[]> {
  const { rows } = await db.query<{ stream_id: string; files: string }>(
    'select stream_id, files from run_changes where run_id = $1 order by stream_id',
    [runId],
  );
  return rows.map(({ stream_id: streamId, files }) => ({
    streamId,
    files: JSON.parse(files) as StreamChanges['files'],
  }));
}

export async function findRunManifest(
  db: Queryable,
  runId: string,
): Promise<RunManifest | undefined> {
  const { rows } = await db.query<{ manifest: string | null }>(
    'select manifest from run_reports where run_id = $1',
    [runId],
  );
  const manifest = rows[0]?.manifest ?? null;
  return manifest === null ? undefined : (JSON.parse(manifest) as RunManifest);
}

/** False when nobody is there any more who would stop it. */
export async function requestCancel(db: Queryable, runId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update run_reports set cancel_requested_at = coalesce(cancel_requested_at, now())
     where run_id = $1 and ended_at is null
       and reported_at > now() - make_interval(secs => ${REPORT_SILENCE_MS / 1000})`,
    [runId],
  );
  return (rowCount ?? 0) > 0;
}
