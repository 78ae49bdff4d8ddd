// How much a team keeps of what its command lines report. The row of the report is locked while it is counted.
import type { RunKey } from '../../domain/run/run-key.ts';
import type { Queryable } from '../postgres/db.ts';

/** Of a run, after `added` more (fewer, when something shorter took its place). */
export async function addReportBytes(
  tx: Queryable,
  { teamId, runId }: RunKey,
  added: number,
): Promise<number> {
  const { rows } = await tx.query<{ bytes: number }>(
    `update run_reports set stored_bytes = stored_bytes + $3 where team_id = $1 and run_id = $2
     returning stored_bytes::float8 as bytes`,
    [teamId, runId, added],
  );
  return rows[0]?.bytes ?? 0;
}

export async function findTeamReportBytes(db: Queryable, teamId: string): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>(
    'select coalesce(sum(stored_bytes), 0)::float8 as bytes from run_reports where team_id = $1',
    [teamId],
  );
  return rows[0]?.bytes ?? 0;
}
