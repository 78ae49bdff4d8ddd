// Start-time fair queueing. Each job gets a virtual start time when it is submitted, and workers
// take the smallest first. A team's jobs follow one another in virtual time, so ten thousand
// waiting jobs of one team stretch far ahead, and the first job of another team, which starts at
// the current virtual time, goes in front of nearly all of them.
//
// These times are places in the line, not the jobs themselves: a team has one line, whatever
// priorities its jobs have, and when one of its places is up, the most urgent of its waiting jobs
// takes it. So priorities order a team's own jobs and give no larger share.

export const LOWEST_PRIORITY = -10;
export const HIGHEST_PRIORITY = 10;

/** The place of a team's next job, when the line is at `clock` and the team's last job is before `finishTime`. */
export function nextPlace(clock: number, finishTime: number): number {
  return Math.max(clock, finishTime);
}

const RESERVED_PART = 8;

/**
 * Slots of a node that only teams may take that have nothing running anywhere. Jobs cannot be
 * interrupted, so without them one team's long jobs would keep everybody else waiting for as long as
 * they last. A node with one slot has none to spare.
 */
export function reservedSlots(slots: number): number {
  return slots < 2 ? 0 : Math.max(1, Math.floor(slots / RESERVED_PART));
}
