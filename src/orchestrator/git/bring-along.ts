// What the folder of a branch needs besides the files of its commit: installed packages, and files that the person names.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { copyFile, cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../platform/make-folder.ts';
import { isInside, leadsOutside } from '../../platform/inside-folder.ts';
import { findDependencies } from '../../sandbox/copy/dependencies.ts';

/** Blocks are shared where the file system can. Many thousands of files: not one by one in this process. */
async function clone(from: string, to: string): Promise<void> {
  const words = process.platform === 'darwin' ? ['-cpR'] : ['-a', '--reflink=auto'];
  const copying = spawn('cp', [...words, '--', from, to], { stdio: 'ignore' });
  const ended = once(copying, 'close').catch(() => [1]);
  const [code] = (await ended) as [number | null];
  if (code === 0) return;
  const mode = constants.COPYFILE_FICLONE;
  await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, mode });
}

interface Way {
  root: string;
  folder: string;
}

/** Into a folder that may have some of them already. Returns those that are not there, or that are no plain files of the project. */
export async function copyNamed(
  { root, folder }: Way,
  files: readonly string[],
): Promise<string[]> {
  const missing: string[] = [];
  for (const file of files) {
    const source = join(root, file);
    const isFile = lstatSync(source, { throwIfNoEntry: false })?.isFile() === true;
    if (!isInside(root, file) || !isFile || leadsOutside(root, file) !== undefined) {
      missing.push(file);
      continue;
    }
    const target = join(folder, file);
    if (existsSync(target)) continue;
    makeFolder(dirname(target));
    await copyFile(source, target, constants.COPYFILE_EXCL);
  }
  return missing;
}

/** `spare`: on the same file system. What is there is whole: a process that is killed leaves its half over there. */
export async function clonePackages(
  { root, folder, spare }: Way & { spare: string },
  folders: ReadonlySet<string>,
): Promise<void> {
  rmSync(spare, { recursive: true, force: true });
  for (const path of findDependencies(root, { folders })) {
    const target = join(folder, path);
    if (existsSync(target)) continue;
    await clone(join(root, path), spare);
    makeFolder(dirname(target));
    renameSync(spare, target);
  }
}
