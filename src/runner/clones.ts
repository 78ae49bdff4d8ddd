// Repositories that a runner has cloned itself: the objects once, and a folder for each run at a time. A folder is used
// again, so what runs keep about their project (their journals, installed packages) stays with it.
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { askGit, git } from '../git/git.ts';
import type { GitCall } from '../git/git.ts';
import { longGit } from '../git/long-call.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { CloneTooLarge, bytesIn, dropHalves, watchFetch } from './clone-size.ts';
import { runnerHomeOf } from './runner-file.ts';

/** Nothing of a repository runs when it is brought here: files are written as they are in the commit. */
const PLAIN = { settings: ['core.symlinks=true', 'core.autocrlf=false'] };
/** What is broken off is a file that can be found, not many objects. */
const PACKED = { settings: ['fetch.unpackLimit=1'] };

/** Git works on a repository without files only where it is named. */
export const inBare = (bare: string): GitCall => ({ env: { GIT_DIR: bare } });

export interface Clone {
  /** Brings what is new, and says at which commit its own branch is. */
  update(signal: AbortSignal): Promise<string>;
  /** Folders that there are, each of which is a project of its own for the command line. */
  folders(): string[];
  /** A folder at this commit. The caller sees to it that no run works there. */
  open(slot: number, commit: string): Promise<string>;
  has(commit: string): Promise<boolean>;
  /** Where it is kept, with its folders. */
  home: string;
  bare: string;
  /** For git, to work on `bare`. */
  call: GitCall;
}

export const clonesHomeOf = (stateHome: string): string =>
  join(runnerHomeOf(stateHome), 'repositories');

/** While git counts and packs over there, or resolves what has come here, nothing grows for minutes. */
const SILENT_MS = 600_000;

/** Of an address as a person names it; credentials stay where git keeps them. */
export function openClone(
  stateHome: string,
  name: string,
  {
    address,
    mostBytes = Infinity,
    silentMs = SILENT_MS,
  }: { address: string; mostBytes?: number; silentMs?: number },
): Clone {
  const home = join(clonesHomeOf(stateHome), name);
  const bare = join(home, 'bare.git');
  const here = inBare(bare);
  const there = { ...here, reachesOthers: true };
  const slotOf = (slot: number) => join(home, `${name}-${slot}`);

  /** Each time: a process may have ended in the middle of it, and the owner may have given it another address. */
  async function init(): Promise<void> {
    if (!existsSync(join(bare, 'HEAD'))) {
      makeFolder(bare, 0o700);
      await git(bare, ['init', '--quiet', '--bare', '--template=', '.'], here);
    }
    await git(bare, ['config', 'remote.origin.url', address], here);
    await git(bare, ['config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'], here);
  }

  /** The branch that the repository calls its own. */
  async function mainOf(signal: AbortSignal): Promise<string> {
    const asked = ['ls-remote', '--symref', '--', 'origin', 'HEAD'];
    const listed = await longGit(bare, asked, { ...there, signal });
    const branch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed)?.[1];
    const commit = /^([0-9a-f]{40,64})\tHEAD$/m.exec(listed)?.[1];
    if (commit === undefined) throw new Error(`${name}: the repository has no commit yet.`);
    if (branch !== undefined) {
      await git(
        bare,
        ['symbolic-ref', 'refs/remotes/origin/HEAD', `refs/remotes/origin/${branch}`],
        here,
      );
    }
    return commit;
  }

  /** Nobody knows how much will come. */
  async function fetch(signal: AbortSignal): Promise<void> {
    const how = ['--quiet', '--prune', '--no-recurse-submodules', '--no-write-fetch-head'];
    try {
      await longGit(bare, ['fetch', ...how, '--', 'origin'], { ...there, ...PACKED, signal });
      if ((await bytesIn(bare)) > mostBytes) throw new CloneTooLarge(name, mostBytes);
    } catch (error) {
      dropHalves(bare);
      throw error;
    }
  }

  /** Says that it was used now. */
  function mark(folder: string): string {
    const now = new Date();
    utimesSync(join(folder, '.git'), now, now);
    return folder;
  }

  return {
    home,
    bare,
    call: here,
    async update(signal) {
      await init();
      const { broken, stop } = watchFetch(bare, { name, mostBytes, silentMs });
      const either = AbortSignal.any([signal, broken]);
      try {
        await fetch(either);
        return await mainOf(either);
      } finally {
        await stop();
      }
    },
    folders: () =>
      existsSync(home)
        ? readdirSync(home)
            .filter((each) => each.startsWith(`${name}-`))
            .map((each) => join(home, each))
        : [],
    async open(slot, commit) {
      const folder = slotOf(slot);
      if (!existsSync(join(folder, '.git'))) {
        await askGit(bare, ['worktree', 'prune'], here);
        await git(bare, ['worktree', 'add', '--quiet', '--detach', '--force', folder, commit], {
          ...here,
          ...PLAIN,
        });
        return mark(folder);
      }
      await git(folder, ['reset', '--quiet', '--hard', commit], PLAIN);
      return mark(folder);
    },
    has: async (commit) =>
      (await askGit(bare, ['cat-file', '-e', `${commit}^{commit}`], here)) !== undefined,
  };
}
