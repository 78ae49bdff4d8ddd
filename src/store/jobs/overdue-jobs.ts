// Waiting jobs that must end without running.
import type { Queryable } from '../postgres/db.ts';
import { fieldsOf } from './job-fields.ts';
import type { JobField, JobFields } from './job-fields.ts';

/** A job whose worker died this often is given up. */
export const MAX_LOSSES = 3;

const FIELDS = ['id', 'runId', 'teamId', 'executionId', 'timeoutMs'] as const satisfies JobField[];

export interface OverdueJob extends Pick<JobFields, (typeof FIELDS)[number]> {
  reason: 'deadline' | 'lost' | 'suspended';
}

/** Of the table `j`. */
export const overdueColumns = (reason: OverdueJob['reason']): string =>
  `${fieldsOf(FIELDS, 'j')}, '${reason}' as reason`;

/** Past their deadline, or lost too often. */
export async function listOverdue(db: Queryable, limit: number): Promise<OverdueJob[]> {
  const { rows } = await db.query<OverdueJob>(
    `select ${overdueColumns('lost')} from jobs j where status = 'pending' and losses >= ${MAX_LOSSES}
     union all
     (select ${overdueColumns('deadline')} from jobs j
      where status = 'pending' and losses < ${MAX_LOSSES} and deadline_at < now()
      order by deadline_at limit $1)`,
    [limit],
  );
  return rows;
}
