// Runs that work on a branch of their own do it in a second folder of the repository, in the project's state folder.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { listRunIds, readRecord, runFolderOf, writeRecord } from './run-folder.ts';
import type { ProjectPlace } from './state-dir.ts';

const BranchRecord = z.object({
  v: z.literal(1),
  branch: z.string().min(1),
  /** The commit that the branch began at. */
  base: z.string().regex(/^[0-9a-f]{40,64}$/),
  /** The run that made the branch: one of the same name that is made anew later is another. */
  origin: z.string(),
  /** Where the project lies in its repository; empty at its top. */
  prefix: z.string(),
});
export type BranchRecord = z.infer<typeof BranchRecord>;

const fileOf = (stateDir: string, runId: string) =>
  join(runFolderOf(stateDir, runId), 'branch.json');

export const readBranch = (stateDir: string, runId: string): Promise<BranchRecord | undefined> =>
  readRecord(fileOf(stateDir, runId), BranchRecord);

export const writeBranch = (
  stateDir: string,
  runId: string,
  record: Omit<BranchRecord, 'v'>,
): Promise<void> => writeRecord(fileOf(stateDir, runId), { v: 1, ...record });

/** The runs of this project that have worked on the branch, or were about to. */
export async function listRunsOn(stateDir: string, branch: string): Promise<string[]> {
  const runIds = await listRunIds(stateDir);
  const branches = await Promise.all(runIds.map((runId) => readBranch(stateDir, runId)));
  return runIds.filter((_, index) => branches[index]?.branch === branch);
}

export const worktreesOf = (stateDir: string): string => join(stateDir, 'worktrees');

/** Readable, and different for every branch. */
export function worktreeOf(stateDir: string, branch: string): string {
  const name = branch.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 60);
  const digest = createHash('sha256').update(branch).digest('hex').slice(0, 8);
  return join(worktreesOf(stateDir), `${name}-${digest}`);
}

/** Where the files are that a run writes; undefined when the folder of its branch is gone. */
export async function filesOfRun(
  { root, stateDir }: ProjectPlace,
  runId: string,
): Promise<string | undefined> {
  const record = await readBranch(stateDir, runId);
  if (record === undefined) return root;
  const folder = join(worktreeOf(stateDir, record.branch), record.prefix);
  return existsSync(folder) ? folder : undefined;
}
