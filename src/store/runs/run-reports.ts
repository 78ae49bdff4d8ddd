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
import type { RunKey } from '../../domain/run/run-key.ts';
import { isRunEnd } from '../../domain/run/events.ts';
import type { Queryable } from '../postgres/db.ts';

interface ReportRow {
  last_seq: number;
  cancel_requested_at: Date | null;
  had_manifest_bytes: number;
}

const UPSERT = `
  with old as (
    select octet_length(manifest) as bytes from run_reports where run_id = $1 and team_id = $2
  )
  insert into run_reports as r (run_id, team_id, user_id, summary, progress, manifest)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (team_id, run_id) do update set summary = excluded.summary, progress = excluded.progress,
    manifest = coalesce(excluded.manifest, r.manifest), reported_at = now()
  returning last_seq, cancel_requested_at,
    coalesce((select bytes from old), 0) as had_manifest_bytes`;

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

export async function writeReport(
  tx: Queryable,
  { teamId, runId }: RunKey,
  userId: string,
  report: ReportRunRequest,
): Promise<ReportedRun & { addedBytes: number }> {
  const manifest = report.manifest === undefined ? null : JSON.stringify(report.manifest);
  const { rows } = await tx.query<ReportRow>(UPSERT, [
    runId,
    teamId,
    userId,
    JSON.stringify(report.summary),
    JSON.stringify(report.progress),
    manifest,
  ]);
  const row = rows[0]!;
  let addedBytes = manifest === null ? 0 : Buffer.byteLength(manifest) - row.had_manifest_bytes;
  const fresh = following(report.events, row.last_seq);
  const lastSeq = fresh.at(-1)?.seq ?? row.last_seq;
  if (fresh.length > 0) {
    const texts = fresh.map((event) => JSON.stringify(event));
    await tx.query(
      `insert into run_events (team_id, run_id, seq, event)
       select $1, $2, * from unnest($3::int[], $4::text[])`,
      [teamId, runId, fresh.map(({ seq }) => seq), texts],
    );
    for (const text of texts) addedBytes += Buffer.byteLength(text);
    // A run that is resumed has not ended any more; a revert comes after the end.
    const last = fresh.findLast((event) => isRunEnd(event) || event.type === 'run.started');
    const ended = last === undefined ? null : isRunEnd(last);
    await tx.query(
      `update run_reports set last_seq = $3,
         ended_at = case when $4::boolean is null then ended_at when $4 then now() end,
         cancel_requested_at = case when $4 is null then cancel_requested_at end
       where team_id = $1 and run_id = $2`,
      [teamId, runId, lastSeq, ended],
    );
  }
  for (const { streamId, files } of report.changes) {
    const changed = await tx.query<{ added: number }>(
      `with old as (
         select octet_length(files) as bytes from run_changes
         where team_id = $1 and run_id = $2 and stream_id = $3
       )
       insert into run_changes (team_id, run_id, stream_id, files) values ($1, $2, $3, $4)
       on conflict (team_id, run_id, stream_id) do update set files = excluded.files
       returning octet_length(files) - coalesce((select bytes from old), 0) as added`,
      [teamId, runId, streamId, JSON.stringify(files)],
    );
    addedBytes += changed.rows[0]!.added;
  }
  return { lastSeq, cancelRequested: row.cancel_requested_at !== null, addedBytes };
}

export interface RunReport {
  lastSeq: number;
  progress: Record<string, number>;
  isEnded: boolean;
  live: LiveRun;
}

/** Of a report `p`: its command line is still heard of. */
export const IS_LIVE = `(p.ended_at is null
  and p.reported_at > now() - make_interval(secs => ${REPORT_SILENCE_MS / 1000}))`;

const REPORT_COLUMNS = `run_id, last_seq, summary, progress, ended_at, reported_at, ${IS_LIVE} as is_live`;

interface ReadRow {
  run_id: string;
  last_seq: number;
  summary: string;
  progress: string;
  ended_at: Date | null;
  reported_at: Date;
  is_live: boolean;
}

function toReport(row: ReadRow): RunReport {
  return {
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

/** Of runs of one team, by their ids. */
export async function findReports(
  db: Queryable,
  teamId: string,
  runIds: readonly string[],
): Promise<Map<string, RunReport>> {
  const { rows } = await db.query<ReadRow>(
    `select ${REPORT_COLUMNS} from run_reports p where team_id = $1 and run_id = any($2)`,
    [teamId, runIds],
  );
  return new Map(rows.map((row) => [row.run_id, toReport(row)]));
}

export async function findReport(
  db: Queryable,
  { teamId, runId }: RunKey,
): Promise<RunReport | undefined> {
  return (await findReports(db, teamId, [runId])).get(runId);
}

/** As they were sent, in order. */
export async function listRunEvents(
  db: Queryable,
  { teamId, runId }: RunKey,
  afterSeq: number,
  limit: number,
): Promise<{ seq: number; event: string }[]> {
  const { rows } = await db.query<{ seq: number; event: string }>(
    `select seq, event from run_events where team_id = $1 and run_id = $2 and seq > $3
     order by seq limit $4`,
    [teamId, runId, afterSeq, limit],
  );
  return rows;
}

export async function listRunChanges(
  db: Queryable,
  { teamId, runId }: RunKey,
): Promise<StreamChanges[]> {
  const { rows } = await db.query<{ stream_id: string; files: string }>(
    `select stream_id, files from run_changes where team_id = $1 and run_id = $2
     order by stream_id`,
    [teamId, runId],
  );
  return rows.map(({ stream_id: streamId, files }) => ({
    streamId,
    files: JSON.parse(files) as StreamChanges['files'],
  }));
}

export async function findRunManifest(
  db: Queryable,
  { teamId, runId }: RunKey,
): Promise<RunManifest | undefined> {
  const { rows } = await db.query<{ manifest: string | null }>(
    'select manifest from run_reports where team_id = $1 and run_id = $2',
    [teamId, runId],
  );
  const manifest = rows[0]?.manifest ?? null;
  return manifest === null ? undefined : (JSON.parse(manifest) as RunManifest);
}

/** False when nobody is there any more who would stop it. */
export async function requestCancel(db: Queryable, { teamId, runId }: RunKey): Promise<boolean> {
  const { rowCount } = await db.query(
    `update run_reports p set cancel_requested_at = coalesce(cancel_requested_at, now())
     where team_id = $1 and run_id = $2 and ${IS_LIVE}`,
    [teamId, runId],
  );
  return (rowCount ?? 0) > 0;
}
