// The folder of a run's branch: opened before the first stream, and removed when the run is over and everything in it is
// committed. The branch stays.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { RunEventBody } from '../../contract/run-events.ts';
import { git } from '../../git/git.ts';
import { leftIn, openWorktree, removeWorktree, tipOf } from '../../git/worktree.ts';
import { createWalker } from '../../project/walk.ts';
import { foldersAbove } from '../../sandbox/copy/base.ts';
import type { RunContext, RunOptions } from '../run/context.ts';
import { isOpen } from '../run/last-run.ts';
import { createReplay } from '../../domain/run/replay.ts';
import { readJournal } from '../state/journal.ts';
import { readBranch, worktreeOf, worktreesOf, writeBranch } from '../state/branch-record.ts';
import { journalOf, listRunIds } from '../state/run-folder.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { clonePackages, copyNamed } from './bring-along.ts';
import type { RunBranch } from './choose-branch.ts';
import { dropUnused } from './unused-branch.ts';
import { notReady, pointersIn, someOf } from './check-git.ts';

export interface BranchWork {
  kind: 'branch';
  branch: RunBranch;
  signsOff: boolean;
  /** Files that the repository ignores and the checks need, as the person's settings name them. */
  copies: readonly string[];
}

export interface OpenedBranch {
  /** The project in the folder of the branch. */
  root: string;
  branch: RunBranch & { origin: string };
  notes: RunEventBody[];
}

const note = (code: string, message: string): RunEventBody => ({
  type: 'run.note',
  level: 'warning',
  code,
  message,
});

/** The caller holds the lock of the project. `clonesPackages`: commands run outside of the sandbox. */
export async function openBranch(
  { root, stateDir }: ProjectPlace,
  runId: string,
  { work, clonesPackages }: { work: BranchWork; clonesPackages: boolean },
): Promise<OpenedBranch> {
  const branch = { ...work.branch, origin: work.branch.origin ?? runId };
  const prefix = await prefixOf(root);
  await removeForgotten({ root, stateDir }, branch.name);
  const { name, base, origin } = branch;
  if (work.branch.origin === undefined) await dropUnused({ root, stateDir }, name);
  // Known before there is anything to find.
  await writeBranch(stateDir, runId, { branch: name, base, origin, prefix });
  const folder = worktreeOf(stateDir, name);
  await openWorktree({ repository: root, folder, branch: name }, base);
  const inside = join(folder, prefix);
  if (!existsSync(inside)) {
    throw notReady(
      `--git branch: ${prefix} is not in the commit that the branch begins at (${base.slice(0, 10)}).`,
      'Commit it first.',
    );
  }
  const missing = await copyNamed({ root, folder: inside }, work.copies);
  if (clonesPackages) {
    const { listing } = await createWalker(inside).walk();
    const folders = new Set(listing.files.flatMap((file) => foldersAbove(file)));
    await clonePackages({ root, folder: inside, spare: `${folder}.part` }, folders);
  }
  const notes: RunEventBody[] = [];
  if (missing.length > 0) {
    const message = `worktreeCopy names files that are not in the project: ${someOf(missing)}`;
    notes.push(note('NOT_COPIED', message));
  }
  const pointers = await pointersIn(inside);
  if (pointers.length > 0) {
    const message = `Nothing here fetches the large files of this repository: ${someOf(pointers)}. Set it up with: git lfs install`;
    notes.push(note('LARGE_FILES', message));
  }
  return { root: inside, branch, notes };
}

/** Folders of branches whose last run is over, when nothing in them would be lost. */
async function removeForgotten({ root, stateDir }: ProjectPlace, wanted: string): Promise<void> {
  const home = worktreesOf(stateDir);
  if (!existsSync(home)) return;
  const names = new Set(readdirSync(home));
  names.delete(basename(worktreeOf(stateDir, wanted)));
  for (const runId of names.size === 0 ? [] : (await listRunIds(stateDir)).toReversed()) {
    const record = await readBranch(stateDir, runId);
    if (record === undefined || !names.delete(basename(worktreeOf(stateDir, record.branch))))
      continue;
    const { events, bytes } = await readJournal(journalOf(stateDir, runId));
    if (events.length === 0) await dropUnused({ root, stateDir }, record.branch);
    const isOver = events.length > 0 && !isOpen(createReplay(events, bytes));
    if (isOver) await leaveBranch({ root, stateDir }, { ...record, name: record.branch });
  }
}

/** What the run leaves in no commit is kept, and a note says where. */
export async function noteLeft(
  { root, stateDir, options, emit }: Pick<RunContext, 'root' | 'stateDir' | 'options' | 'emit'>,
  { name }: RunBranch,
): Promise<void> {
  const folder = worktreeOf(stateDir, name);
  const left = await leftOn(folder, { root, work: options.git });
  if (left.length === 0) return;
  const message = `Not committed, because no stream wrote it: ${someOf(left)}. It stays in ${folder}`;
  emit({ type: 'run.note', level: 'warning', code: 'LEFT_ON_BRANCH', message });
}

const prefixOf = async (root: string) =>
  (await git(root, ['rev-parse', '--show-prefix'])).trim().replace(/\/$/, '');

async function leftOn(
  folder: string,
  { root, work }: { root: string; work: RunOptions['git'] },
): Promise<string[]> {
  const prefix = await prefixOf(root);
  const copies = work?.kind === 'branch' ? work.copies.map((file) => join(prefix, file)) : [];
  return (await leftIn(folder)).filter((path) => !copies.includes(path));
}

/** After the run is over: the folder goes, unless something in it is in no commit. */
export async function leaveBranch(
  { root, stateDir, git: work }: Pick<RunOptions, 'root' | 'stateDir' | 'git'>,
  { name }: RunBranch,
): Promise<void> {
  const folder = worktreeOf(stateDir, name);
  if (!existsSync(folder) || (await tipOf(root, name)) === undefined) return;
  const left = await leftOn(folder, { root, work });
  if (left.length === 0) await removeWorktree({ repository: root, folder, branch: name });
}
