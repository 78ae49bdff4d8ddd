// Takes back what a run did on a branch: the branch goes, as long as nobody else has worked on it.
import { existsSync } from 'node:fs';
import {
  commitsSince,
  deleteBranch,
  foldersOn,
  removeWorktree,
  tipOf,
} from '../../git/worktree.ts';
import { OrchestratorError } from '../errors.ts';
import { readBranch, worktreeOf } from '../state/branch-record.ts';
import type { BranchRecord } from '../state/branch-record.ts';
import { readJournal } from '../state/journal.ts';
import { journalOf, listRunIds } from '../state/run-folder.ts';
import { readRequest } from './request/request-record.ts';
import type { ProjectPlace } from '../state/state-dir.ts';

/** Undefined for a run in the person's own files. */
export async function branchOfRun(stateDir: string, runId: string): Promise<string | undefined> {
  return (await readBranch(stateDir, runId))?.branch;
}

/** Those that runs have made on it, by the record of each. */
async function madeOn(stateDir: string, origin: string): Promise<Set<string>> {
  const made = new Set<string>();
  for (const runId of await listRunIds(stateDir)) {
    if ((await readBranch(stateDir, runId))?.origin !== origin) continue;
    const { events } = await readJournal(journalOf(stateDir, runId));
    for (const event of events) {
      if (event.type === 'stream.committed') made.add(event.commit);
      if (event.type === 'run.reviewed') for (const commit of event.commits) made.add(commit);
    }
  }
  return made;
}

function conflict(message: string, hint: string): OrchestratorError {
  return new OrchestratorError({ code: 'CONFLICT', message, hint });
}

/** The number of commits that went with it; undefined when it was gone. The caller holds the lock. */
export async function dropBranch(
  { root, stateDir }: ProjectPlace,
  { branch, base, origin }: BranchRecord,
): Promise<number | undefined> {
  const folder = worktreeOf(stateDir, branch);
  const tip = await tipOf(root, branch);
  if (tip === undefined) {
    if (existsSync(folder)) await removeWorktree({ repository: root, folder, branch });
    return undefined;
  }
  const [other] = (await foldersOn(root, branch)).filter((one) => one !== folder);
  if (other !== undefined) {
    throw conflict(
      `${branch} is checked out in ${other}.`,
      'Switch to another branch there first.',
    );
  }
  const own = await madeOn(stateDir, origin);
  const request = await readRequest(stateDir, origin);
  for (const commit of request?.commits ?? []) own.add(commit);
  const commits = await commitsSince(root, { branch, base: request?.base ?? base });
  const others = commits.filter((commit) => !own.has(commit));
  if (others.length > 0) {
    const count = others.length === 1 ? 'a commit' : `${others.length} commits`;
    const message = `${branch} was not deleted: it has ${count} that no run made (${others[0]!.slice(0, 10)}).`;
    throw conflict(message, `If all of it may go: git branch -D ${branch}`);
  }
  if (existsSync(folder)) await removeWorktree({ repository: root, folder, branch });
  if (!(await deleteBranch(root, branch, tip))) {
    throw conflict(`${branch} was not deleted: it has just changed.`, 'Try again.');
  }
  return commits.length;
}
