// Moves ended jobs out of the way, some at a time, with pauses: what the database does for callers comes first.
// An installation with millions of old jobs is worked off in the same way, in hours.
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { deleteDiscarded } from '../store/jobs/archived-texts.ts';
import type { TextStore } from '../store/jobs/archived-texts.ts';
import { listJobColumns, moveEndedJobs } from '../store/jobs/archive-jobs.ts';
import type { Db } from '../store/postgres/db.ts';
import { startLoop } from './loop.ts';
import type { Loop } from './loop.ts';

const EVERY_MS = 60_000;
const BATCH = 200;
/** Times as long as a batch took: moving has a fifth of one connection at most. */
const PAUSE_SHARE = 4;
const LEAST_PAUSE_MS = 50;
const DELETED_A_ROUND = 1000;

export interface ArchiveDeps {
  db: Db;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
  /** How long ended jobs stay where they are; 0: for good. */
  archiveAfterHours: number;
  /** Where large texts go. */
  texts?: TextStore | undefined;
}

/** Returns how many jobs were moved. */
async function archiveRound(
  { db, clock, log, archiveAfterHours, texts }: ArchiveDeps,
  signal: AbortSignal,
): Promise<number> {
  const columns = await listJobColumns(db);
  let jobs = 0;
  let last: string | undefined = '';
  let problem: unknown;
  while (last !== undefined && !signal.aborted) {
    const began = clock.now();
    const moved = await moveEndedJobs(db, {
      columns,
      texts,
      isStoreDown: problem !== undefined,
      after: last,
      ageMs: archiveAfterHours * 3_600_000,
      limit: BATCH,
      nowMs: began,
    });
    jobs += moved.jobs;
    last = moved.last;
    problem ??= moved.problem;
    const pause = Math.max(LEAST_PAUSE_MS, (clock.now() - began) * PAUSE_SHARE);
    if (last !== undefined) await clock.sleep(pause, signal);
  }
  if (jobs > 0) log.info({ jobs }, 'archived ended jobs');
  if (problem !== undefined) log.warn({ err: problem }, 'could not store large texts; retrying');
  return jobs;
}

export function startArchiving(deps: ArchiveDeps): Loop {
  const { db, texts, archiveAfterHours } = deps;
  const failed = 'could not archive ended jobs; retrying';
  return startLoop(deps, { everyMs: EVERY_MS, failed }, async (_, signal) => {
    if (archiveAfterHours > 0) await archiveRound(deps, signal);
    if (texts) await deleteDiscarded(db, texts, DELETED_A_ROUND);
  });
}
