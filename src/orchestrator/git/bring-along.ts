// What the folder of a branch needs besides the files of its commit: installed packages, and files that the person names.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync, lstatSync } from 'node:fs';
import { copyFile, cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../platform/make-folder.ts';
import { isInside, leadsOutside } from '../../platform/inside-folder.ts';
import { findDependencies } from '../../sandbox/copy/dependencies.ts';

/** Blocks are shared where the file system can. Many thousands of files: not one by one in this process. */
async function clone(from: string, to: string): Promise<void> {
  makeFolder(dirname(to));
  const words = process.platform === 'darwin' ? ['-cpR'] : ['-a', '--reflink=auto'];
  const copying = spawn('cp', [...words, '--', from, to], { stdio: 'ignore' });
  const ended = once(copying, 'close').catch(() => [1]);
  const [code] = (await ended) as [number | null];
  if (code === 0) return;
  const mode = constants.COPYFILE_FICLONE;
  await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, mode });
}

export interface BroughtAlong {
  /** Paths that are not there, or that are no plain files of the project. */
  missing: string[];
}

/** Into a folder that may have some of it already. */
export async function bringAlong(
  { root, folder }: { root: string; folder: string },
  {
    files,
    folders,
    hasDependencies,
  }: { files: readonly string[]; folders: ReadonlySet<string>; hasDependencies: boolean },
): Promise<BroughtAlong> {
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
  for (const path of hasDependencies ? findDependencies(root, { folders }) : []) {
    if (!existsSync(join(folder, path))) await clone(join(root, path), join(folder, path));
  }
  return { missing };
}
