// A copy file by file. Where the file system can, both share their blocks until one is written.
import { chmodSync, constants, copyFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../platform/make-folder.ts';
import type { Base } from './base.ts';

/** Links are copied as they are: where they lead is seen from inside only. */
export function copyFiles(base: Base, target: string): void {
  const folders = new Set<string>();
  for (const [path, { kind }] of base.entries) {
    const folder = dirname(path);
    if (!folders.has(folder)) {
      makeFolder(join(target, folder));
      folders.add(folder);
    }
    const source = join(base.folder, path);
    const copy = join(target, path);
    if (kind === 'link') {
      symlinkSync(readlinkSync(source), copy);
      continue;
    }
    // Not over what is there, and what has become a link meanwhile is not followed into.
    copyFileSync(source, copy, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    chmodSync(copy, (lstatSync(source).mode & 0o777) | 0o600);
  }
}
