// Makes room: folders of a clone that nobody has used for a time go, and all that are free where it has grown too large.
// What is in no other repository stays, however old it is.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { askGit, git } from '../git/git.ts';
import type { GitCall } from '../git/git.ts';
import { leftIn } from '../git/worktree.ts';
import { bytesIn } from './clone-size.ts';
import type { Clone } from './clones.ts';

export const IDLE_MS = 7 * 24 * 3_600_000;

/** As `git gc` decides by itself, which is off in all our calls. */
const COLLECTS = { settings: ['gc.auto=6700', 'gc.autoPackLimit=50', 'gc.autoDetach=false'] };

interface Limits {
  now: number;
  idleMs: number;
  mostBytes: number;
}

/** Nothing in it is only there: neither a file nor a commit. Packages and caches, which git ignores, can be had again. */
async function isElsewhere(folder: string): Promise<boolean> {
  if ((await leftIn(folder)).length > 0) return false;
  const refs = await askGit(folder, ['for-each-ref', '--count=1', '--contains', 'HEAD']);
  return refs !== undefined && refs.trim() !== '';
}

/** The runs that were made there stay known: the folder itself stays, empty. */
async function emptyFolder(clone: Clone, folder: string): Promise<void> {
  await askGit(clone.bare, ['worktree', 'remove', '--force', '--', folder], clone.call);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  mkdirSync(folder, { mode: 0o700 });
}

/** `isBusy`: a run works in this folder, or is about to. The clone does not change meanwhile. */
export async function tidyClone(
  clone: Clone,
  isBusy: (folder: string) => boolean,
  { now, idleMs, mostBytes }: Limits,
): Promise<{ bytes: number; emptied: string[] }> {
  const emptied: string[] = [];
  if (!existsSync(join(clone.bare, 'HEAD'))) return { bytes: 0, emptied };
  await git(clone.bare, ['gc', '--auto', '--quiet'], { ...clone.call, ...COLLECTS });
  let bytes = await bytesIn(clone.home);
  const used = clone
    .folders()
    .filter((folder) => existsSync(join(folder, '.git')))
    .map((folder) => ({ folder, at: statSync(join(folder, '.git')).mtimeMs }))
    .toSorted((a, b) => a.at - b.at);
  for (const { folder, at } of used) {
    if (now - at < idleMs && bytes <= mostBytes) break;
    if (isBusy(folder) || !(await isElsewhere(folder))) continue;
    await emptyFolder(clone, folder);
    emptied.push(folder);
    bytes = await bytesIn(clone.home);
  }
  if (bytes > mostBytes) {
    await git(clone.bare, ['gc', '--quiet', '--prune=now'], clone.call);
    bytes = await bytesIn(clone.home);
  }
  return { bytes, emptied };
}

/** Branches with commits that no branch of the other repository has. */
async function unpushed(bare: string, call: GitCall): Promise<string[]> {
  const listed = await askGit(bare, ['for-each-ref', '--format=%(refname)', 'refs/heads'], call);
  const branches: string[] = [];
  for (const ref of (listed ?? '').split('\n').filter((line) => line !== '')) {
    const own = await askGit(bare, ['rev-list', '-n', '1', ref, '--not', '--remotes', '--'], call);
    if (own?.trim() !== '') branches.push(ref.slice('refs/heads/'.length));
  }
  return branches;
}

/** Of a project that its owner has taken away; what keeps it, if anything does. */
export async function removeClone(clone: Clone): Promise<string | undefined> {
  if (existsSync(join(clone.bare, 'HEAD'))) {
    const [branch] = await unpushed(clone.bare, clone.call);
    if (branch !== undefined) return `its branch ${branch} is not pushed`;
    for (const folder of clone.folders()) {
      if (existsSync(join(folder, '.git')) && !(await isElsewhere(folder))) {
        return 'it has changes that are in no commit';
      }
    }
  }
  rmSync(clone.home, { recursive: true, force: true, maxRetries: 3 });
  return undefined;
}

/** Names of those that are here. */
export const clonesIn = (home: string): string[] => (existsSync(home) ? readdirSync(home) : []);
