// Which branch a run works on: one that an earlier run has begun, or a new one from the last commit.
import { newId } from '../../platform/ids.ts';
import { commitOf, foldersOn, isBranchName, tipOf } from '../../git/worktree.ts';
import { git } from '../../git/git.ts';
import { slugOf } from '../../domain/accounts/slug.ts';
import { readJournal } from '../state/journal.ts';
import { worktreeOf } from '../state/branch-record.ts';
import { journalOf, listRunIds } from '../state/run-folder.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { createReplay } from '../../domain/run/replay.ts';
import { isOpen } from '../run/last-run.ts';
import { unusedTip } from './unused-branch.ts';
import { checkRepository, notReady, someOf, submodulesIn } from './check-git.ts';

export interface RunBranch {
  name: string;
  /** The commit that it began at. */
  base: string;
  /** The run that made it; undefined for one that is still to be made. */
  origin: string | undefined;
}

const FLAG = '--git branch';

/** The latest run on a branch: of this name, or where none is given, of this manifest. */
async function lastOn(
  stateDir: string,
  { name, file }: { name: string | undefined; file: string },
): Promise<{ branch: RunBranch & { origin: string }; isOpen: boolean } | undefined> {
  for (const runId of (await listRunIds(stateDir)).toReversed()) {
    const { events, bytes } = await readJournal(journalOf(stateDir, runId));
    const [first] = events;
    if (first?.type !== 'run.started' || first.branch === undefined) continue;
    if (name === undefined ? first.file !== file : first.branch.name !== name) continue;
    return { branch: first.branch, isOpen: isOpen(createReplay(events, bytes)) };
  }
  return undefined;
}

/** Nothing is written, and no program of the repository's configuration runs: nobody was asked about them yet. */
export async function chooseBranch(
  { root, stateDir }: ProjectPlace,
  {
    name,
    file,
    manifest,
    base: from = 'HEAD',
  }: {
    name: string | undefined;
    file: string;
    manifest: string;
    /** Where a new one begins. */
    base?: string | undefined;
  },
): Promise<RunBranch> {
  await checkRepository(root, FLAG);
  const last = await lastOn(stateDir, { name, file });
  const continues = last !== undefined && (name !== undefined || last.isOpen);
  if (continues && (await tipOf(root, last.branch.name)) !== undefined) {
    await checkFree(root, stateDir, last.branch.name);
    return last.branch;
  }
  const base = await commitOf(root, from);
  if (base === undefined && from !== 'HEAD') {
    throw notReady(`--base ${from}: there is no such commit here.`, 'See: git log --oneline --all');
  }
  if (base === undefined) {
    throw notReady(
      `${FLAG}: the repository has no commit yet.`,
      'Make one with: git add . && git commit -m "First commit"',
    );
  }
  const submodules = await submodulesIn(root, base);
  if (submodules.length > 0) {
    throw notReady(
      `${FLAG}: the repository has submodules (${someOf(submodules)}), whose files a branch's folder does not have.`,
      'Run without the flag, or with --git commit.',
    );
  }
  const chosen = name ?? (await newName({ root, stateDir }, manifest));
  if (!(await isBranchName(root, chosen))) {
    throw notReady(`${FLAG}=${chosen}: git does not take this as the name of a branch.`, NAMES);
  }
  if (await isTaken({ root, stateDir }, chosen)) {
    throw notReady(
      `${FLAG}=${chosen}: there is a branch of that name, and no run of this project made it.`,
      'Choose another name.',
    );
  }
  return { name: chosen, base, origin: undefined };
}

const NAMES = 'Use letters, digits, dots, dashes and slashes, as in feature/login.';

/** Git has a branch in one folder at a time. */
async function checkFree(root: string, stateDir: string, name: string): Promise<void> {
  const own = worktreeOf(stateDir, name);
  const [other] = (await foldersOn(root, name)).filter((folder) => folder !== own);
  if (other === undefined) return;
  throw notReady(
    `${FLAG}: ${name} is checked out in ${other}.`,
    'Switch that folder to another branch first, with: git switch',
  );
}

const isTaken = async (project: ProjectPlace, name: string): Promise<boolean> =>
  (await tipOf(project.root, name)) !== undefined && (await unusedTip(project, name)) === undefined;

async function newName(project: ProjectPlace, manifest: string): Promise<string> {
  const name = `millrace/${slugOf(manifest, 'run')}`;
  return !(await isTaken(project, name)) && !(await hasBelow(project.root, name))
    ? name
    : `${name}-${newId('run').slice(-6)}`;
}

/** A name that is a folder of names cannot be a branch. */
async function hasBelow(root: string, name: string): Promise<boolean> {
  return (await git(root, ['for-each-ref', '--count=1', `refs/heads/${name}/`])) !== '';
}
