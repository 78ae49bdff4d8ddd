// What a stream asks a model: on disk before it is sent, so that a process that takes over asks the same.
import { z } from 'zod';
import type { NewJob, NewTurn } from '../../client/index.ts';
import type { FollowUpReason } from '../../contract/run-events.ts';
import { Dialogue } from '../../domain/run/dialogue.ts';
import type { RunRecord } from '../../domain/run/replay.ts';
import { callFileOf, readRecord, writeRecord } from '../state/run-folder.ts';

/** Whatever a model is asked, by whichever kind of worker. */
export interface Asking {
  job: NewJob | NewTurn;
  /** Why this is not the first question of its attempt. */
  asks?: FollowUpReason;
}

export interface CallPlace {
  stream: string;
  attempt: number;
  call: number;
}

/** Where questions of one kind are kept, and how. */
export interface QuestionFiles<Q extends Asking> {
  read(run: { stateDir: string; runId: string }, place: CallPlace): Promise<Q | undefined>;
  write(run: { stateDir: string; runId: string }, place: CallPlace, question: Q): Promise<void>;
}

/** What is sent, and what is known at that time. */
export interface Question extends Asking {
  job: NewJob;
  dialogue: Dialogue;
}

const text = z.string();
const Call = z.looseObject({
  streamId: text,
  prompt: text,
  model: text,
  maxTokens: z.int().min(1),
  structuredPrompt: z
    .looseObject({ systemContent: text.optional(), projectContext: text.optional() })
    .optional(),
});

const Kept = Call.extend({ dialogue: Dialogue });

export async function readQuestion(file: string): Promise<Question | undefined> {
  const read = await readRecord(file, Kept);
  if (read === undefined) return undefined;
  const { dialogue, ...job } = read;
  return { job, dialogue };
}

export const QUESTIONS: QuestionFiles<Question> = {
  read: ({ stateDir, runId }, place) => readQuestion(callFileOf(stateDir, runId, place)),
  write: ({ stateDir, runId }, place, { job, dialogue }) =>
    writeRecord(callFileOf(stateDir, runId, place), { ...job, dialogue }),
};

// Answers that were paid for and never used: a run was stopped before it came to apply them, or it
// does not write. Where the same would be asked again, the next run takes the answer that is there.

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
  /** Streams that must be done anew: what was kept of them was looked at, and is not wanted. */
  named: ReadonlySet<string>,
): UnusedAnswers {
  return {
    async find(stream, job) {
      const unused = last.streams.get(stream)?.unused;
      if (unused === undefined || (unused.isKept && named.has(stream))) return undefined;
      const { attempt, call, key, jobId } = unused;
      const asked = await readQuestion(callFileOf(stateDir, last.runId, { stream, attempt, call }));
      if (asked === undefined || questionOf(asked.job) !== questionOf(job)) return undefined;
      return { runId: last.runId, jobId, key };
    },
  };
}
