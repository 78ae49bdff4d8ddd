// What models have answered to the runs of a request, by the hash of the question.
import type { Queryable } from '../postgres/db.ts';

export async function findAnswer(
  db: Queryable,
  requestId: string,
  key: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ answer: string }>(
    'select answer from run_request_answers where request_id = $1 and key = $2',
    [requestId, key],
  );
  return rows[0]?.answer;
}

/** False where there is no room for it: the run does without. */
export async function insertAnswer(
  db: Queryable,
  { requestId, key, answer }: { requestId: string; key: string; answer: string },
  mostBytes: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into run_request_answers (request_id, key, answer)
     select $1, $2, $3 where $4 >= octet_length($3) + coalesce((
       select sum(octet_length(answer)) from run_request_answers where request_id = $1), 0)
     on conflict (request_id, key) do update set answer = excluded.answer`,
    [requestId, key, answer, mostBytes],
  );
  return rowCount > 0;
}
