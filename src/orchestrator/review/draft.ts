// What a person has said so far about the changes of a run: on disk after every answer.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CarriedComment, ReviewComment } from '../../contract/review-api.ts';
import type { Comments, KeptComment } from '../../domain/review/comment.ts';
import type { Decisions } from '../../domain/review/decision.ts';
import { readRecord, runFolderOf, writeRecord } from '../state/run-folder.ts';

const count = z.int().min(0);

const Change = z.object({
  oldAt: count,
  newAt: count,
  removed: count,
  added: z.array(z.string()).readonly(),
});

const Decision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('accepted') }),
  z.object({ kind: z.literal('rejected') }),
  z.object({ kind: z.literal('edited'), changes: z.array(Change).readonly() }),
]);

export const DecisionList = z.array(z.tuple([z.string(), Decision]));
export const CommentList = z.array(z.tuple([z.string(), ReviewComment]));

const Draft = z.object({
  v: z.literal(1),
  round: z.int().min(1).default(1),
  decisions: DecisionList,
  comments: CommentList.default([]),
  carried: z.array(CarriedComment.omit({ outdated: true })).default([]),
  /** Why the last submit did not count, or the changes that it asked for were not made. */
  failed: z.object({ stream: z.string(), error: z.string(), output: z.string() }).optional(),
});

export interface ReviewDraft {
  /** That the next submit belongs to. */
  round: number;
  decisions: Decisions;
  /** To be submitted. */
  comments: Comments;
  /** Of the rounds before, with what became of them. */
  carried: readonly KeptComment[];
  failed?: z.infer<typeof Draft>['failed'] | undefined;
}

const fileOf = (stateDir: string, runId: string) =>
  join(runFolderOf(stateDir, runId), 'review.json');

export async function readDraft(stateDir: string, runId: string): Promise<ReviewDraft> {
  const draft = await readRecord(fileOf(stateDir, runId), Draft);
  const { round = 1, decisions, comments, carried = [], failed } = draft ?? {};
  return {
    round,
    decisions: new Map(decisions),
    comments: new Map(comments),
    carried,
    ...(failed && { failed }),
  };
}

export const removeDraft = (stateDir: string, runId: string): Promise<void> =>
  rm(fileOf(stateDir, runId), { force: true });

/** What is not named stays as it is. */
export async function writeDraft(
  stateDir: string,
  runId: string,
  changes: Partial<ReviewDraft>,
): Promise<void> {
  const next = { ...(await readDraft(stateDir, runId)), ...changes };
  const { round, decisions, comments, carried, failed } = next;
  return writeRecord(fileOf(stateDir, runId), {
    v: 1,
    round,
    decisions: [...decisions],
    comments: [...comments],
    carried,
    ...(failed && { failed }),
  });
}
