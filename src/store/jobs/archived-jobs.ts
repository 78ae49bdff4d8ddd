// Where jobs are: in `jobs` until a while after their end, then in `archived_jobs`, which has a partition a month.
// A move is one transaction, so a single statement over both tables always finds a job. What asks in
// two steps says here how it notices a move in between.
import { LEAST_ARCHIVE_HOURS } from '../../domain/job/archive-age.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import { timeOfId } from '../../platform/ids.ts';
import type { Queryable } from '../postgres/db.ts';

/** Half of the shortest time: clocks of nodes differ. */
const SURELY_THERE_MS = (LEAST_ARCHIVE_HOURS * 3_600_000) / 2;

/** Whether a job may be in `archived_jobs`. Of one that is younger only a clock far ahead can be the reason. */
export function mayHaveMoved(jobId: string, nowMs: number): boolean {
  const madeAt = timeOfId(jobId);
  return madeAt === undefined || madeAt.getTime() < nowMs - SURELY_THERE_MS;
}

/** Between these ids are the jobs of a run that have moved. */
export interface MovedJobs {
  from: string;
  to: string;
}

/** Columns of `runs` as they are read. */
export interface MovedColumns {
  archived_from: string | null;
  archived_to: string | null;
}

export function movedOf(row: MovedColumns | undefined): MovedJobs | undefined {
  if (row === undefined || row.archived_from === null || row.archived_to === null) {
    return undefined;
  }
  return { from: row.archived_from, to: row.archived_to };
}

/** A run, and where its jobs are. */
export interface RunWithMoved extends RunKey {
  moved: MovedJobs | undefined;
}

export interface RunJobs {
  /** For `from`: the columns of the jobs of the run. */
  sql: string;
  /** Parameters from `first` on. */
  values: string[];
}

/** Of a run none of whose jobs has moved. Two parameters: team and run. */
export function currentJobsOfRun(columns: string, first: number): string {
  return `(select ${columns} from jobs where team_id = $${first} and run_id = $${first + 1})`;
}

/** The ids are parameters, so that a statement without a name is planned for their months alone. */
export function jobsOfRun(columns: string, run: RunWithMoved, first: number): RunJobs {
  const sql = currentJobsOfRun(columns, first);
  const values = [run.teamId, run.runId];
  if (run.moved === undefined) return { sql, values };
  const ended = `select ${columns} from archived_jobs where team_id = $${first} and run_id = $${first + 1}
    and id >= $${first + 2} and id <= $${first + 3}`;
  return { sql: `(${sql} union all ${ended})`, values: [...values, run.moved.from, run.moved.to] };
}

/**
 * Reads jobs of a run that is not locked. When some have moved since it was known where they are, reads again:
 * a move widens the range of its run, unless it stays within the range, where both tables are read at once.
 */
export async function readJobsOfRun<Result>(
  db: Queryable,
  run: RunWithMoved,
  read: (run: RunWithMoved) => Promise<Result>,
): Promise<Result> {
  for (let { moved } = run; ;) {
    const result = await read({ ...run, moved });
    const { rows } = await db.query<MovedColumns>(
      'select archived_from, archived_to from runs where team_id = $1 and id = $2',
      [run.teamId, run.runId],
    );
    const now = movedOf(rows[0]);
    if (now?.from === moved?.from && now?.to === moved?.to) return result;
    moved = now;
  }
}
