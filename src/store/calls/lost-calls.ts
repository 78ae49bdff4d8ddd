// Calls whose process died with them: nobody else can continue what a client is no longer connected to.
import type { Queryable } from '../postgres/db.ts';
import { fieldsOf } from '../jobs/job-fields.ts';
import type { JobField, JobFields } from '../jobs/job-fields.ts';

const FIELDS = ['id', 'runId', 'teamId'] as const satisfies JobField[];

const LIST = {
  name: 'lost_calls',
  text: `select ${fieldsOf(FIELDS, 'j')} from jobs j
    where j.status = 'running' and j.kind = 'call' and j.node_id is not null
      and not exists (select 1 from nodes n where n.id = j.node_id)
    limit $1`,
};

export async function listLostCalls(
  db: Queryable,
  limit: number,
): Promise<Pick<JobFields, (typeof FIELDS)[number]>[]> {
  const { rows } = await db.query<Pick<JobFields, (typeof FIELDS)[number]>>(LIST, [limit]);
  return rows;
}
