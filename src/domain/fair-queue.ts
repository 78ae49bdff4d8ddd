// Start-time fair queueing. Each job gets a virtual start time when it is submitted, and workers
// take the smallest first. A user's jobs follow one another in virtual time, so ten thousand
// waiting jobs of one user stretch far ahead, and the first job of another user, which starts at
// the current virtual time, goes in front of nearly all of them.
//
// A user's own priorities are kept by a separate line for each priority: a job stands behind the
// user's jobs of the same or a higher priority only. A user who uses many priorities at once may so
// get a larger share for a while, but can never hold up another user's first job.

export const LOWEST_PRIORITY = -10;
export const HIGHEST_PRIORITY = 10;
const LINES = HIGHEST_PRIORITY - LOWEST_PRIORITY + 1;

/** The start of a user's next job. `finishTimes` (one a priority) moves along. */
export function takeVirtualTime(clock: number, finishTimes: number[], priority: number): number {
  while (finishTimes.length < LINES) finishTimes.push(0);
  const line = priority - LOWEST_PRIORITY;
  let start = clock;
  for (let ahead = line; ahead < LINES; ahead++) start = Math.max(start, finishTimes[ahead]!);
  finishTimes[line] = start + 1;
  return start;
}

export interface VirtualTimes {
  /** One for each job, in the order given. */
  starts: number[];
  /** The user's new finish times, one a priority. */
  finishTimes: number[];
}

export function assignVirtualTimes(
  clock: number,
  finishTimes: readonly number[],
  priorities: readonly number[],
): VirtualTimes {
  const finish = [...finishTimes];
  const starts = priorities.map((priority) => takeVirtualTime(clock, finish, priority));
  return { starts, finishTimes: finish };
}
