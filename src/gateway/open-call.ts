// The row of a call: opened when its cost is reserved, kept up to date while it streams, ended once. A call is a job that
// this process runs: if the process dies, the row says what had been used by then.
import { mayBeCoveredLater } from '../domain/usage/reservation.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { JobEnding, UsedTokens } from '../store/jobs/job-outcome.ts';
import type { JobFinalizer } from '../store/jobs/finalize-jobs.ts';
import { GENERATIONS_PER_ATTEMPT } from '../store/jobs/lost-calls.ts';
import type { NewJob } from '../store/jobs/new-job.ts';
import type { SubmitReply, Submitter } from '../store/jobs/submit-jobs.ts';
import type { TextFeed } from '../store/jobs/text-feed.ts';
import { updateUsedSoFar } from '../store/jobs/used-so-far.ts';
import type { Db } from '../store/postgres/db.ts';
import { isUnavailable } from '../store/postgres/errors.ts';

/** Over the team's concurrency. */
const WAIT_FOR_PLACE_MS = 30_000;
/** For what other calls of the run, or of the stream, have reserved; below the patience of the clients that agents use. */
const WAIT_FOR_MONEY_MS = 120_000;
const ASK_EVERY_MS = 250;
const SAVE_EVERY_MS = 2000;
const ATTEMPT = 1;
const GENERATION = ATTEMPT * GENERATIONS_PER_ATTEMPT;

export type CallStop = 'gone' | 'cancelled' | 'silence' | 'deadline' | 'drain' | 'lost' | 'used_up';

export interface OpenCall {
  readonly id: string;
  /** What was reserved; undefined where nothing limits the cost. */
  readonly reservedUsd: number | undefined;
  text(delta: string): void;
  /** What the call has used by now is saved every few seconds. */
  used(count: () => UsedTokens): void;
  end(ending: JobEnding, used: UsedTokens | undefined, text: string): Promise<void>;
}

export interface CallRows {
  open(
    job: NewJob,
    signal: AbortSignal,
  ): Promise<OpenCall | Exclude<SubmitReply, { kind: 'accepted' }>>;
}

export interface CallRowDeps {
  db: Db;
  submitter: Submitter;
  finalizer: JobFinalizer;
  feed: TextFeed;
  clock: Clock;
  log: Logger;
}

/** What counts as used until the answer says more. */
export const usedSoFar = (used: UsedTokens): string =>
  JSON.stringify({ attempt: ATTEMPT, generation: GENERATION, used });

/** How long it is worth to ask again. */
function waitFor(reply: SubmitReply): number {
  if (reply.kind === 'no_place') return WAIT_FOR_PLACE_MS;
  if (reply.kind !== 'cap_exceeded') return 0;
  return mayBeCoveredLater(reply.cap, reply.costUsd) ? WAIT_FOR_MONEY_MS : 0;
}

export function createCallRows(deps: CallRowDeps): CallRows {
  async function submit(job: NewJob, signal: AbortSignal): Promise<SubmitReply> {
    const since = deps.clock.now();
    for (;;) {
      const reply = await deps.submitter.submit(job);
      const isLate = deps.clock.now() + ASK_EVERY_MS > since + waitFor(reply);
      if (isLate || signal.aborted) return reply;
      await deps.clock.sleep(ASK_EVERY_MS, signal);
    }
  }

  /** An end is tried until the database takes it: what was used was used. */
  async function endSurely(end: Parameters<JobFinalizer['end']>[0]): Promise<void> {
    for (let delayMs = 100; ; delayMs = Math.min(delayMs * 2, 2000)) {
      try {
        await deps.finalizer.end(end);
        return;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        deps.log.warn(
          { jobId: end.jobId, err: error },
          'could not save the end of a call; retrying',
        );
        await deps.clock.sleep(delayMs);
      }
    }
  }

  return {
    async open(job, signal) {
      const reply = await submit(job, signal);
      if (reply.kind !== 'accepted') return reply;
      const { jobId: id, teamId } = job;
      let count: (() => UsedTokens) | undefined;
      let saved = job.call!.usedSoFar;
      let isSaving = false;
      const save = async (): Promise<void> => {
        if (count === undefined || isSaving) return;
        const used = count();
        const text = usedSoFar(used);
        if (text === saved) return;
        isSaving = true;
        try {
          await updateUsedSoFar(deps.db, id, { attempt: ATTEMPT, generation: GENERATION, used });
          saved = text;
        } catch (error) {
          // Only for the case that this process dies; otherwise the end has all of it.
          deps.log.warn({ jobId: id, err: error }, 'could not save what a call has used so far');
        } finally {
          isSaving = false;
        }
      };
      const timer = setInterval(() => void save(), SAVE_EVERY_MS);
      return {
        id,
        reservedUsd: reply.reservedUsd,
        text: (delta) => deps.feed.append(id, GENERATION, delta),
        used: (by) => (count = by),
        async end(ending, used, text) {
          clearInterval(timer);
          await deps.feed.settle(id);
          try {
            await endSurely({
              jobId: id,
              runId: job.runId ?? null,
              teamId,
              attempt: ATTEMPT,
              ending,
              used,
              text,
              textGeneration: GENERATION,
            });
          } finally {
            deps.feed.end(id);
          }
        },
      };
    },
  };
}
