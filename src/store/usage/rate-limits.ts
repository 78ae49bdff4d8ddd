// The generic cell rate algorithm in one statement, on the database's clock: exact whichever node
// a request comes to.
import type { Queryable } from '../postgres/db.ts';

export interface RateDecision {
  allowed: boolean;
  /** How far the bucket is filled, in milliseconds of the limit's period. */
  filledMs: number;
}

// `arrival_at` is the time at which the bucket would be empty again. A request (or a block of
// `cost` requests) fits when the bucket, with it, is not fuller than the period.
const TAKE = {
  name: 'rate_limit_take',
  text: `insert into rate_limits as r (bucket, arrival_at)
    values ($1, clock_timestamp() + $2::float8 * interval '1 millisecond')
    on conflict (bucket) do update
      set arrival_at = greatest(r.arrival_at, clock_timestamp()) + $2::float8 * interval '1 millisecond'
      where greatest(r.arrival_at, clock_timestamp()) + $2::float8 * interval '1 millisecond'
        <= clock_timestamp() + $3::float8 * interval '1 millisecond'
    returning extract(epoch from arrival_at - clock_timestamp())::float8 * 1000 as filled`,
};

const LOOK = {
  name: 'rate_limit_look',
  text: `select greatest(0, extract(epoch from arrival_at - clock_timestamp()))::float8 * 1000 as filled
    from rate_limits where bucket = $1`,
};

/** Takes `cost` milliseconds of a bucket that holds `period` milliseconds. */
export async function takeFromBucket(
  db: Queryable,
  bucket: string,
  costMs: number,
  periodMs: number,
): Promise<RateDecision> {
  const taken = await db.query<{ filled: number }>(TAKE, [bucket, costMs, periodMs]);
  if (taken.rows[0]) return { allowed: true, filledMs: taken.rows[0].filled };
  const look = await db.query<{ filled: number }>(LOOK, [bucket]);
  return { allowed: false, filledMs: look.rows[0]?.filled ?? 0 };
}

export async function deleteIdleBuckets(db: Queryable): Promise<void> {
  await db.query(`delete from rate_limits where arrival_at < now() - interval '10 minutes'`);
}
