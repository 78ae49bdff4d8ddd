// A submit that asks for changes, from before anything is touched until its changes are there: with it a process that
// takes over knows what was asked for, and whether it counts already.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Operation } from '../../contract/artifact.ts';
import { readRecord, runFolderOf, writeRecord } from '../state/run-folder.ts';
import { CommentList, DecisionList } from './draft.ts';
import { Held } from './held-record.ts';

const texts = z.array(z.string());

const Round = z.object({
  v: z.literal(1),
  round: z.int().min(1),
  state: z.enum(['begun', 'over']),
  /** Of the transaction that takes back what was rejected: the submit counts when that does. */
  attempt: z.int().min(1),
  accepted: z.int(),
  rejected: z.int(),
  files: texts,
  /** For commits: who wrote those files. */
  writers: z.array(z.object({ stream: z.string(), name: z.string(), files: texts })),
  /** About the hunks as they are once the submit counts. */
  decisions: DecisionList,
  comments: CommentList,
  fixes: z.array(z.object({ stream: z.string(), fix: z.string(), comments: texts })),
  /** Comments whose suggestions were made without a model. */
  placed: texts,
  /** Comments that no stream can do anything about, and why. */
  left: z.array(z.object({ id: z.string(), why: z.string() })),
  /** Of an execution: the manifest of the fixes, in the project or from there. */
  manifest: z.string().optional(),
  /** Of an execution that is not written yet: what the review has left of it. */
  held: Held.optional(),
  /** What the fixes have made, until it is written with what was left. */
  made: z.object({ operations: z.array(Operation), isExact: z.boolean() }).optional(),
});
export type RoundRecord = z.infer<typeof Round>;

const fileOf = (stateDir: string, runId: string) =>
  join(runFolderOf(stateDir, runId), 'round.json');

export const readRound = (stateDir: string, runId: string): Promise<RoundRecord | undefined> =>
  readRecord(fileOf(stateDir, runId), Round);

export const writeRound = (stateDir: string, runId: string, round: RoundRecord): Promise<void> =>
  writeRecord(fileOf(stateDir, runId), round);

/** Of a submit that came to nothing. */
export const removeRound = (stateDir: string, runId: string): Promise<void> =>
  rm(fileOf(stateDir, runId), { force: true });
