// What a person has said so far about the changes of a run: on disk after every answer.
import { join } from 'node:path';
import { z } from 'zod';
import type { Decisions } from '../../domain/review/decision.ts';
import { readRecord, runFolderOf, writeRecord } from '../state/run-folder.ts';

const count = z.int().min(0);

const Change = z.object({
  oldAt: count,
  newAt: count,
  removed: count,
  added: z.array(z.string()),
});

const Decision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('accepted') }),
  z.object({ kind: z.literal('rejected') }),
  z.object({ kind: z.literal('edited'), changes: z.array(Change) }),
]);

const Draft = z.object({
  v: z.literal(1),
  decisions: z.array(z.tuple([z.string(), Decision])),
  /** Why the last submit did not count. */
  failed: z.object({ stream: z.string(), error: z.string(), output: z.string() }).optional(),
});

export interface ReviewDraft {
  decisions: Decisions;
  failed?: z.infer<typeof Draft>['failed'];
}

const fileOf = (stateDir: string, runId: string) =>
  join(runFolderOf(stateDir, runId), 'review.json');

export async function readDraft(stateDir: string, runId: string): Promise<ReviewDraft> {
  const draft = await readRecord(fileOf(stateDir, runId), Draft);
  return { decisions: new Map(draft?.decisions), ...(draft?.failed && { failed: draft.failed }) };
}

export function writeDraft(
  stateDir: string,
  runId: string,
  { decisions, failed }: ReviewDraft,
): Promise<void> {
  return writeRecord(fileOf(stateDir, runId), {
    v: 1,
    decisions: [...decisions],
    ...(failed && { failed }),
  });
}
