// A copy file by file. Where the file system can, both share their blocks until one is written.
import { chmodSync, constants, copyFileSync, readlinkSync, symlinkSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../platform/make-folder.ts';
import type { BaseEntry } from './base.ts';

export interface FileCopier {
  /** False when there is nothing to copy: it is gone meanwhile, or we may not read it. */
  copy(path: string, entry: BaseEntry): boolean;
}

const LEFT_OUT = new Set(['ENOENT', 'EACCES', 'EPERM']);

export function createFileCopier(source: string, target: string): FileCopier {
  const folders = new Set<string>();
  return {
    copy(path, { kind, mode, modifiedAt }) {
      const folder = dirname(path);
      if (!folders.has(folder)) {
        makeFolder(join(target, folder));
        folders.add(folder);
      }
      const original = join(source, path);
      const copy = join(target, path);
      try {
        // A link is copied as it is: where it leads is seen from inside only.
        if (kind === 'link') symlinkSync(readlinkSync(original), copy);
        else copyFileSync(original, copy, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      } catch (error) {
        if (LEFT_OUT.has((error as NodeJS.ErrnoException).code ?? '')) return false;
        throw error;
      }
      if (kind === 'link') return true;
      chmodSync(copy, mode | 0o600);
      utimesSync(copy, modifiedAt, modifiedAt);
      return true;
    },
  };
}
