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
  ended?: { text: string; at: number };
}

const isFinal = (status: string): boolean => status === 'completed' || status === 'failed';

export function createHistory(): History {
  const jobs = new Map<string, Known>();
  const jobOfKey = new Map<string, string>();
  const violations: string[] = [];
  const counts = { lost: 0, unavailable: 0, replayed: 0, looks: 0, steppedBack: 0 };
  let time = 0;

  function checkAgainstEnd(jobId: string, known: Known, view: JobView, since: number): void {
    if (!known.ended) return;
    if (isFinal(view.status)) {
      const text = JSON.stringify(view);
      if (text !== known.ended.text)
        violations.push(`${jobId} ended twice: ${known.ended.text} and ${text}`);
    } else if (since > known.ended.at) {
      violations.push(`${jobId} is ${view.status} after it ended: ${known.ended.text}`);
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
      if (isFinal(view.status)) known.ended ??= { text: JSON.stringify(view), at };
    },
    violated: (what) => void violations.push(what),
    jobIds: () => [...jobs.keys()],
    keyOf: (jobId) => jobs.get(jobId)?.key,
    violations: () => [...violations],
  };
}
