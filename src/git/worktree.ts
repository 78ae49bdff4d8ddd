// A second folder of a repository, for work on a branch of its own: the person's files and index are not touched. It may
// be gone, half made or locked by a process that died: each step can be done again.
import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { GitError, askGit, fieldsOf, git } from './git.ts';

export interface Worktree {
  /** Of the person's files. */
  repository: string;
  folder: string;
  branch: string;
}

/** All files, also those that the person has left out of a sparse checkout. */
const WHOLE = { settings: ['core.sparseCheckout=false'] };

const refOf = (branch: string) => `refs/heads/${branch}`;

export async function commitOf(folder: string, name: string): Promise<string | undefined> {
  const found = await askGit(folder, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
  return found?.trim() || undefined;
}

export const tipOf = (folder: string, branch: string) => commitOf(folder, refOf(branch));

export async function isBranchName(folder: string, name: string): Promise<boolean> {
  if (name.startsWith('-')) return false;
  return (await askGit(folder, ['check-ref-format', '--branch', name])) !== undefined;
}

/** The folders of the repository that have this branch checked out. */
export async function foldersOn(repository: string, branch: string): Promise<string[]> {
  const blocks = (await git(repository, ['worktree', 'list', '--porcelain', '-z'])).split('\0\0');
  return blocks.flatMap((block) => {
    const lines = block.split('\0');
    const folder = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
    return folder !== undefined && lines.includes(`branch ${refOf(branch)}`) ? [folder] : [];
  });
}

/** Makes the branch where it is not there yet. A folder that is whole stays as it is, with what lies in it. */
export async function openWorktree(tree: Worktree, base: string): Promise<void> {
  const { repository, folder, branch } = tree;
  if ((await tipOf(repository, branch)) === undefined) {
    await git(repository, ['branch', '--no-track', '--', branch, base]);
  }
  if (await isWhole(tree)) {
    await dropLocks(tree);
    return;
  }
  await removeWorktree(tree);
  try {
    const added = ['worktree', 'add', '--force', '--quiet', '--', folder, branch];
    // A partial clone may not have all files yet.
    await git(repository, added, { ...WHOLE, reachesOthers: true });
  } catch (error) {
    await removeWorktree(tree);
    throw error;
  }
}

/** A process that died while it was made leaves a folder without the mark of its end: an index. */
async function isWhole({ folder, branch }: Worktree): Promise<boolean> {
  if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false })?.isFile() !== true) return false;
  const head = await askGit(folder, ['symbolic-ref', '--quiet', 'HEAD']);
  if (head?.trim() !== refOf(branch)) return false;
  const index = await askGit(folder, ['rev-parse', '--git-path', 'index']);
  return index !== undefined && existsSync(resolve(folder, index.trim()));
}

/** Nobody else works in it or on its branch: what locks them is dead. */
async function dropLocks({ repository, folder, branch }: Worktree): Promise<void> {
  const [, own] = /^gitdir: (.+)$/m.exec(readFileSync(join(folder, '.git'), 'utf8')) ?? [];
  const shared = (await git(repository, ['rev-parse', '--git-common-dir'])).trim();
  const locks = [join(resolve(repository, shared), `${refOf(branch)}.lock`)];
  if (own !== undefined) {
    locks.push(join(own.trim(), 'index.lock'), join(own.trim(), 'HEAD.lock'));
  }
  for (const lock of locks) rmSync(lock, { force: true });
}

/** Only the folder; the branch stays. */
export async function removeWorktree({ repository, folder }: Worktree): Promise<void> {
  await askGit(repository, ['worktree', 'remove', '--force', '--force', '--', folder]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  await askGit(repository, ['worktree', 'prune']);
}

/** Paths that the last commit of its branch does not have as they are; ignored ones do not count. */
export async function leftIn(folder: string): Promise<string[]> {
  const how = ['--untracked-files=all', '--no-renames', '--ignore-submodules=dirty'];
  return fieldsOf(await git(folder, ['status', '--porcelain', '-z', ...how], WHOLE)).map((field) =>
    field.slice(3),
  );
}

/** False when the branch is not at this commit any more: it has changed meanwhile. */
export async function deleteBranch(
  repository: string,
  branch: string,
  expected: string,
): Promise<boolean> {
  try {
    await git(repository, ['update-ref', '-d', refOf(branch), expected]);
    return true;
  } catch (error) {
    if (error instanceof GitError && (await tipOf(repository, branch)) !== expected) return false;
    throw error;
  }
}

/** Commits that were made on the branch since its base, the latest first; not those that came in by a merge. */
export async function commitsSince(
  repository: string,
  { branch, base }: { branch: string; base: string },
): Promise<string[]> {
  const range = `${base}..${refOf(branch)}`;
  const listed = await git(repository, ['rev-list', '--first-parent', range, '--']);
  return listed.split('\n').filter((line) => line !== '');
}
