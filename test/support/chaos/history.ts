// What clients were told, and whether it fits together.

export type JobView = Record<string, unknown> & { status: string };

export interface History {
  /** To be taken before a request is sent: its answer is about some moment after that. */
  mark(): number;
  /** A submit with this key was answered with this job. */
  accepted(key: string, jobId: string): void;
  /** A request that was sent at `since` was answered with this view. */
  saw(jobId: string, view: JobView, since: number): void;
  /** Something that must not be was seen elsewhere. */
  violated(what: string): void;
  jobIds(): string[];
  keyOf(jobId: string): string | undefined;
  violations(): string[];
  counts: {
    lost: number;
    unavailable: number;
    replayed: number;
    looks: number;
    steppedBack: number;
  };
}

interface Known {
  key: string;
  latest?: { status: string; attempt: number; at: number };
  ended?: { view: JobView; at: number };
}

export const isFinal = (status: string | undefined): boolean =>
  status === 'completed' || status === 'failed';

const USED = ['tokensUsed', 'cachedInputTokens', 'costUsd', 'savedUsd', 'usageEstimated'];

/** What a worker may tell after the end: what calls used that were lost or stopped, and their text so far. */
function isStillTold({ status, usageEstimated }: JobView): boolean {
  return status === 'failed' || usageEstimated === true;
}

function isSameEnd(one: JobView, other: JobView): boolean {
  const isLate = isStillTold(one) || isStillTold(other);
  const late = isLate ? [...USED, ...(one.status === 'failed' ? ['partialOutput'] : [])] : [];
  const end = (view: JobView) =>
    JSON.stringify(Object.entries(view).filter(([name]) => !late.includes(name)));
  return end(one) === end(other);
}

export function createHistory(): History {
  const jobs = new Map<string, Known>();
  const jobOfKey = new Map<string, string>();
  const violations: string[] = [];
  const counts = { lost: 0, unavailable: 0, replayed: 0, looks: 0, steppedBack: 0 };
  let time = 0;

  function checkAgainstEnd(jobId: string, known: Known, view: JobView, since: number): void {
    if (!known.ended) return;
    if (isFinal(view.status)) {
      if (!isSameEnd(known.ended.view, view))
        violations.push(
          `${jobId} ended twice: ${JSON.stringify(known.ended.view)} and ${JSON.stringify(view)}`,
        );
    } else if (since > known.ended.at) {
      violations.push(
        `${jobId} is ${view.status} after it ended: ${JSON.stringify(known.ended.view)}`,
      );
    }
  }

  // An answer that was asked for before another arrived may be the older one of the two.
  function checkAgainstLatest(jobId: string, known: Known, view: JobView, since: number): void {
    if (!known.latest || since < known.latest.at) return;
    const { status, attempt } = known.latest;
    if (Number(view['attempt']) < attempt)
      violations.push(`${jobId} went from attempt ${attempt} to ${String(view['attempt'])}`);
    if (status === 'running' && view.status === 'pending') counts.steppedBack += 1;
  }

  return {
    counts,
    mark: () => ++time,
    accepted(key, jobId) {
      const earlier = jobOfKey.get(key);
      if (earlier !== undefined && earlier !== jobId)
        violations.push(`key ${key} was answered with ${earlier} and with ${jobId}`);
      jobOfKey.set(key, jobId);
      if (!jobs.has(jobId)) jobs.set(jobId, { key });
    },
    saw(jobId, view, since) {
      counts.looks += 1;
      const known = jobs.get(jobId);
      if (!known) {
        violations.push(`${jobId} was never given out`);
        return;
      }
      checkAgainstEnd(jobId, known, view, since);
      checkAgainstLatest(jobId, known, view, since);
      const at = ++time;
      known.latest = { status: view.status, attempt: Number(view['attempt']), at };
      if (isFinal(view.status)) known.ended ??= { view, at };
    },
    violated: (what) => void violations.push(what),
    jobIds: () => [...jobs.keys()],
    keyOf: (jobId) => jobs.get(jobId)?.key,
    violations: () => [...violations],
  };
}
