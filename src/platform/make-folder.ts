import type { Stats } from 'node:fs';
import { mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

function find(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    throw error;
  }
}

const exists = (path: string) => find(path) !== undefined;
const isFolder = (path: string) => find(path)?.isDirectory() === true;

/**
 * With the folders above it. Node's own recursive mkdir never returns where a file system answers "no such
 * folder" for a name below one that exists, as /proc does; this asks for each folder once.
 */
export function makeFolder(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !isFolder(folder); folder = dirname(folder)) {
    missing.unshift(folder);
  }
  for (const folder of missing) {
    try {
      mkdirSync(folder, mode);
    } catch (error) {
      // Another process may have been faster.
      if (codeOf(error) !== 'EEXIST' || !isFolder(folder)) throw error;
    }
  }
}

export interface ChosenFolder {
  path: string;
  /** What chooses it, for messages. */
  setting: string;
}

export const dataFolder = (path: string): ChosenFolder => ({
  path,
  setting: '--data-dir or MILLRACE_DATA_DIR',
});

/** A folder that was chosen by a setting and cannot be used; the message is one sentence for the operator. */
export class UnusableFolderError extends Error {
  readonly code = 'FOLDER_UNUSABLE';
  readonly exit = 'usage';

  constructor({ path, setting }: ChosenFolder, cause: unknown) {
    const advice = `choose another with ${setting}`;
    super(`Cannot use the folder ${resolve(path)}: ${reasonOf(cause)}; ${advice}.`, { cause });
    this.name = 'UnusableFolderError';
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  ENOENT: 'its file system does not let folders be created there',
  ENOTDIR: 'it is not a folder, or below something that is not one',
  EEXIST: 'it is not a folder, or below something that is not one',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links lead in a circle',
};

function reasonOf(cause: unknown): string {
  const code = codeOf(cause);
  return REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Runs what needs the folder; errors of the file system become an UnusableFolderError. */
export function withFolder<T>(folder: ChosenFolder, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new UnusableFolderError(folder, error);
    throw error;
  }
}

/**
 * Throws an UnusableFolderError unless the folder can be written to or, where it is not there yet, created. Nothing
 * stays behind. Permission bits alone do not say: root passes them on file systems that take no files.
 */
export function checkFolder(folder: ChosenFolder): void {
  withFolder(folder, () => {
    let found = resolve(folder.path);
    while (!exists(found)) found = dirname(found);
    rmdirSync(mkdtempSync(join(found, '.millrace-')));
  });
}
