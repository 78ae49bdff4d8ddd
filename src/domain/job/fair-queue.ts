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

export interface VirtualTimes {
  /** One for each job, in the order given. */
  starts: number[];
  /** When the team's line is over. */
  finishTime: number;
}

export function assignVirtualTimes(clock: number, finishTime: number, jobs: number): VirtualTimes {
  const first = Math.max(clock, finishTime);
  const starts = Array.from({ length: jobs }, (_, index) => first + index);
  return { starts, finishTime: jobs === 0 ? finishTime : first + jobs };
}

export interface WaitingJob {
  id: string;
  teamId: string;
  priority: number;
}

export interface Exchange {
  /** A job whose place is up. */
  give: string;
  /** The job of the same team that goes before it: more urgent, or as urgent and older. */
  want: string;
}

/** Which of the `waiting` jobs of the same teams should start instead of those `fetched`. */
export function exchangePlaces(
  fetched: readonly WaitingJob[],
  waiting: readonly WaitingJob[],
): Exchange[] {
  const byUrgency = (a: WaitingJob, b: WaitingJob) =>
    b.priority - a.priority || (a.id < b.id ? -1 : 1);
  return [...Map.groupBy(fetched, ({ teamId }) => teamId)].flatMap(([teamId, mine]) => {
    const others = waiting.filter((job) => job.teamId === teamId).toSorted(byUrgency);
    // The least urgent gives way first, and only to one that goes before it.
    const giving = mine.toSorted(byUrgency).toReversed();
    return others.flatMap((want, index) => {
      const give = giving[index];
      return give && byUrgency(want, give) < 0 ? [{ give: give.id, want: want.id }] : [];
    });
  });
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
