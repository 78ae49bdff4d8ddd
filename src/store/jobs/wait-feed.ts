// What running and put-off jobs wait for, between the workers that know and the readers that ask.
// Waits that begin at about the same time are written together: when a key is turned away, all jobs
// of that key wait at once.
import type { JobWaitReason } from '../../contract/job-api.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { fromJsonText, toJsonText } from '../postgres/json-text.ts';
import type { Signals } from '../postgres/signals.ts';

export interface JobWait {
  reason: JobWaitReason;
  /** From now on, at the longest. */
  ms: number;
  /** What the vendor said. */
  detail?: string | undefined;
}

export interface WaitFeed {
  begin(jobId: string, wait: JobWait): void;
  /** Costs nothing for a job that did not wait. */
  end(jobId: string): void;
  close(): Promise<void>;
}

const FLUSH_MS = 100;
/** Nobody looks that closely, and most retries are over by then. */
const SHORTEST_MS = 1000;

async function upsertWaits(db: Queryable, waits: readonly (readonly [string, JobWait])[]) {
  await db.query(
    {
      name: 'upsert_job_waits',
      text: `insert into job_waits (job_id, reason, until_at, detail)
             select id, reason, now() + ms * interval '1 millisecond', detail
             from unnest($1::text[], $2::text[], $3::float8[], $4::text[]) v(id, reason, ms, detail)
             on conflict (job_id) do update set reason = excluded.reason,
               until_at = excluded.until_at, detail = excluded.detail`,
    },
    [
      waits.map(([id]) => id),
      waits.map(([, wait]) => wait.reason),
      waits.map(([, wait]) => wait.ms),
      waits.map(([, { detail }]) => (detail === undefined ? null : toJsonText(detail))),
    ],
  );
}

export function createWaitFeed(deps: {
  db: Queryable;
  signals: Signals;
  onError(error: unknown): void;
}): WaitFeed {
  /** Until when, in this process's time: another node may take over a job that was put off. */
  const written = new Map<string, number>();
  let begun = new Map<string, JobWait>();
  let ended = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    const [waits, over] = [[...begun], [...ended]];
    begun = new Map();
    ended = new Set();
    for (const [id, until] of written) if (until < performance.now()) written.delete(id);
    try {
      if (waits.length > 0) await upsertWaits(deps.db, waits);
      if (over.length > 0) {
        await deps.db.query('delete from job_waits where job_id = any($1)', [over]);
      }
      deps.signals.emit('progress', [...waits.map(([id]) => id), ...over]);
    } catch (error) {
      // Only what people see depends on it; the rows run out by themselves.
      deps.onError(error);
    }
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      flushing = flush().finally(() => {
        timer = undefined;
        flushing = undefined;
        if (begun.size + ended.size > 0) schedule();
      });
    }, FLUSH_MS);
  }

  return {
    begin(jobId, wait) {
      if (wait.ms < SHORTEST_MS) return;
      ended.delete(jobId);
      begun.set(jobId, wait);
      written.set(jobId, performance.now() + wait.ms);
      schedule();
    },
    end(jobId) {
      if (!written.delete(jobId)) return;
      if (!begun.delete(jobId) || flushing !== undefined) ended.add(jobId);
      schedule();
    },
    async close() {
      clearTimeout(timer);
      timer = undefined;
      await flushing;
    },
  };
}

interface WaitRow {
  reason: JobWaitReason;
  until: Date;
  detail: string | null;
}

const FIND_WAIT = {
  name: 'find_job_wait',
  text: `select reason, until_at as until, detail from job_waits
         where job_id = $1 and until_at > now()
         union all
         select 'concurrency', null, null from jobs where id = $1 and parked limit 1`,
};

export async function findWait(
  db: Db,
  jobId: string,
): Promise<{ reason: JobWaitReason; until: Date | null; detail: string | null } | undefined> {
  const { rows } = await db.read<WaitRow>(FIND_WAIT, [jobId]);
  const row = rows[0];
  return row && { ...row, detail: row.detail === null ? null : fromJsonText(row.detail) };
}

export async function deleteStrayWaits(db: Queryable): Promise<void> {
  await db.query('delete from job_waits where until_at < now()');
}
