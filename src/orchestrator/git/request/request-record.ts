// What was done about the request of a branch: read again after a crash, and by every later command about it.
import { join } from 'node:path';
import { z } from 'zod';
import { readRecord, runFolderOf, writeRecord } from '../../state/run-folder.ts';

const commit = z.string().regex(/^[0-9a-f]{40,64}$/);

const Part = z.object({
  branch: z.string(),
  /** The last commit of the wave. */
  commit,
  streams: z.array(z.string()),
  number: z.int().nullable(),
  url: z.string().nullable(),
});
export type RequestPart = z.infer<typeof Part>;

const line = z.int().min(1);

/** As the forge has it: where an answer to it belongs. */
const Asked = z.object({
  /** In the review that it was made part of. */
  id: z.string(),
  number: z.int(),
  comment: z.object({
    id: z.string(),
    author: z.string(),
    text: z.string(),
    suggestion: z.string().exactOptional(),
    place: z
      .object({
        path: z.string(),
        side: z.enum(['old', 'new']),
        lines: z.tuple([line, line]).exactOptional(),
        commit: z.string(),
      })
      .exactOptional(),
  }),
});
export type AskedComment = z.infer<typeof Asked>;

const FailedCheck = z.object({
  id: z.string(),
  number: z.int(),
  name: z.string(),
  commit,
});
export type AskedCheck = z.infer<typeof FailedCheck>;

/** What was asked for on the forge, while it is being done. */
const Fixing = z.object({
  runId: z.string(),
  /** Of the review of that run. */
  round: z.int().min(1),
  comments: z.array(Asked),
  checks: z.array(FailedCheck),
});
export type Fixing = z.infer<typeof Fixing>;

const RequestRecord = z.object({
  v: z.literal(1),
  remote: z.string(),
  /** The branch that will take it. */
  target: z.string(),
  /** Of the target, that the branch was put on. */
  base: commit,
  /** Commits that are ours, after they were made anew on that base. */
  commits: z.array(commit),
  /** What was pushed last; null before the first time. */
  pushed: commit.nullable(),
  number: z.int().nullable(),
  url: z.string().nullable(),
  /** Below it, from the target up: a request of its own for each wave but the last. */
  parts: z.array(Part).default([]),
  fixing: Fixing.optional(),
  /** Comments and checks that are done with, by how they are named in `fixing`. */
  handled: z.array(z.string()).default([]),
});
export type RequestRecord = z.infer<typeof RequestRecord>;

/** With the run that made the branch. */
const fileOf = (stateDir: string, origin: string) =>
  join(runFolderOf(stateDir, origin), 'request.json');

export const readRequest = (stateDir: string, origin: string): Promise<RequestRecord | undefined> =>
  readRecord(fileOf(stateDir, origin), RequestRecord);

export const writeRequest = (
  stateDir: string,
  origin: string,
  record: RequestRecord,
): Promise<void> => writeRecord(fileOf(stateDir, origin), record);
