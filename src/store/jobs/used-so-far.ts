// What the calls of an attempt used that broke off and were made again. The attempt reports all of it at
// its end, but a worker can die before that: then this is what is known, and only the call that was
// under way has to be estimated.
import type { Queryable } from '../postgres/db.ts';
import type { UsedTokens } from './job-outcome.ts';

export interface UsedSoFar {
  attempt: number;
  /** Text of this generation and of earlier ones is included. */
  generation: number;
  used: UsedTokens;
}

export async function updateUsedSoFar(
  db: Queryable,
  jobId: string,
  soFar: UsedSoFar,
): Promise<void> {
  await db.query(
    {
      name: 'update_used_so_far',
      text: `update jobs set used_so_far = $3 where id = $1 and attempt = $2 and status = 'running'`,
    },
    [jobId, soFar.attempt, JSON.stringify(soFar)],
  );
}

/** Undefined unless it was written by this attempt. */
export function usedBefore(text: string | null, attempt: number): UsedSoFar | undefined {
  if (text === null) return undefined;
  const soFar = JSON.parse(text) as UsedSoFar;
  return soFar.attempt === attempt ? soFar : undefined;
}
