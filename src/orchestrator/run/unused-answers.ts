// Answers that were paid for and never used: a run was stopped before it came to apply them, or was
// told not to. Where the same would be asked again, the next run takes the answer that is there.
import type { NewJob } from '../../client/index.ts';
import type { RunRecord } from '../../domain/run/replay.ts';
import { callFileOf } from '../state/run-folder.ts';
import { readCall } from './call-record.ts';

export interface UnusedAnswer {
  runId: string;
  jobId: string;
  key: string;
}

export interface UnusedAnswers {
  /** The answer to this very question. */
  find(stream: string, job: NewJob): Promise<UnusedAnswer | undefined>;
}

export const NO_UNUSED_ANSWERS: UnusedAnswers = { find: async () => undefined };

/** All that the model sees, and how long it may take over it: not for which run. */
function questionOf(job: NewJob): string {
  return JSON.stringify({ ...job, runId: undefined });
}

export function unusedAnswersOf(
  stateDir: string,
  last: RunRecord,
  /** Streams that are to be done anew: what was kept of them was looked at, and is not wanted. */
  named: ReadonlySet<string>,
): UnusedAnswers {
  return {
    async find(stream, job) {
      const unused = last.streams.get(stream)?.unused;
      if (unused === undefined || (unused.isKept && named.has(stream))) return undefined;
      const { attempt, call, key, jobId } = unused;
      const asked = await readCall(callFileOf(stateDir, last.runId, { stream, attempt, call }));
      if (asked === undefined || questionOf(asked) !== questionOf(job)) return undefined;
      return { runId: last.runId, jobId, key };
    },
  };
}
