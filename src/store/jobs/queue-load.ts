// How much work there is for how many workers: what a person or an autoscaler decides by.
import type { QueueLoad } from '../../platform/metrics.ts';
import type { Queryable } from '../postgres/db.ts';
import { findQueueDepth } from './jobs.ts';

interface Rest {
  parked: number;
  /** Pending jobs that no worker may start yet, such as those of a key that is paused. */
  held: number;
  workers: number;
  slots: number;
}

/** Counts over small indexes and small tables only: it is asked every few seconds. */
export async function findQueueLoad(db: Queryable): Promise<QueueLoad> {
  const [depth, { rows }] = await Promise.all([
    findQueueDepth(db),
    db.query<Rest>(
      `select (select count(*) from jobs where parked)::int as parked,
         (select count(*) from job_waits w join jobs j on j.id = w.job_id
          where w.until_at > now() and j.status = 'pending' and not j.parked)::int as held,
         n.workers, n.slots
       from (select count(*)::int as workers, coalesce(sum(slots), 0)::int as slots
             from nodes where slots > 0) n`,
    ),
  ]);
  const { parked, held, workers, slots } = rows[0]!;
  const claimable = Math.max(0, depth.pending - parked - held);
  return { ...depth, claimable, workers, slots };
}
