// Waiting jobs that must end without running.
import type { Queryable } from '../postgres/db.ts';

/** A job whose worker died this often is given up. */
export const MAX_LOSSES = 3;

export interface OverdueJob {
  id: string;
  runId: string;
  teamId: string;
  executionId: string | null;
  reason: 'deadline' | 'lost' | 'suspended';
  timeoutMs: number;
}

/** Past their deadline, or lost too often. */
export async function listOverdue(db: Queryable, limit: number): Promise<OverdueJob[]> {
  const { rows } = await db.query<OverdueJob>(
    `select id, run_id as "runId", team_id as "teamId", execution_id as "executionId",
       timeout_ms as "timeoutMs", 'lost' as reason
     from jobs where status = 'pending' and losses >= ${MAX_LOSSES}
     union all
     (select id, run_id, team_id, execution_id, timeout_ms, 'deadline'
      from jobs where status = 'pending' and losses < ${MAX_LOSSES} and deadline_at < now()
      order by deadline_at limit $1)`,
    [limit],
  );
  return rows;
}
