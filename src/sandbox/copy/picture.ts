// A plain folder with what is in a copy, for a person: an overlay is mounted for the processes inside only. It may be made
// by another process than the one whose copy it is, also while an agent works there.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  rmdirSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../platform/make-folder.ts';
import { findPrograms } from '../linux/programs.ts';
import type { MountRights } from '../linux/launch.ts';
import { openedFolderOf } from '../workplace.ts';
import { makeOverlayFolders, runMounted } from './overlay.ts';
import { linkRepository } from './repository.ts';
import { removeTree } from './remove-tree.ts';

/** Where a copy is, for another process. */
export interface CopyPlace {
  /** Of the process whose copy it is. */
  workplace: string;
  /** Of what was written, below the workplace; the whole copy where it is no overlay. */
  tree: string;
  overlay: { rights: MountRights; layers: string[] } | null;
  /** Folders with installed packages: not in the picture. */
  dependencies: string[];
  repository: { folder: string; commit: string } | null;
}

/** The reader is not stopped by a file that goes away while an agent works. */
const COPY = 'cp -RPp "$1/." "$2/" 2>/dev/null; exit 0';

export class PictureError extends Error {
  override name = 'PictureError';
}

/** A new folder that goes with the copy. */
export function openedFolder({ workplace }: CopyPlace, name: string): string {
  const folder = openedFolderOf(workplace);
  makeFolder(folder, 0o700);
  return mkdtempSync(join(folder, `${name}-`));
}

async function copyMounted(
  { workplace, tree }: CopyPlace,
  { rights, layers }: NonNullable<CopyPlace['overlay']>,
  target: string,
): Promise<boolean> {
  const found = findPrograms();
  if (found.kind === 'missing') return false;
  const scratch = openedFolder({ workplace } as CopyPlace, 'mount');
  const workFolder = dirname(workplace);
  const nameOf = (path: string) => `${basename(workplace)}/${path}`;
  const name = `${basename(dirname(scratch))}/${basename(scratch)}`;
  try {
    makeOverlayFolders(workFolder, name);
    const place = { programs: found.programs, rights, workFolder };
    // What was written is a layer below here: nothing that reads it can change it.
    const overlay = { name, layers: [tree, ...layers].map(nameOf) };
    const script = [`set -- "$1/merged" "$2"; ${COPY}`, name, target];
    return (await runMounted(place, [overlay], script)) !== undefined;
  } finally {
    removeTree(scratch);
  }
}

function copyPlain({ workplace, tree }: CopyPlace, target: string): boolean {
  const line = ['-c', COPY, 'sh', join(workplace, tree), target];
  const { status } = spawnSync('/bin/sh', line, { env: { PATH: '/usr/bin:/bin' } });
  return status === 0;
}

/** What an agent wrote is looked at with other rights than it was written with. */
function makeHarmless(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    // A repository of the agent's could name programs that git starts.
    if (entry.name.toLowerCase() === '.git') removeTree(path);
    else if (entry.isDirectory()) {
      chmodSync(path, 0o700 | (lstatSync(path).mode & 0o777));
      makeHarmless(path);
    } else if (entry.isFile()) chmodSync(path, 0o400 | (lstatSync(path).mode & 0o777));
    else if (!entry.isSymbolicLink()) rmSync(path);
  }
}

/** An empty folder for each was there to mount it. */
function removeEmpty(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).length > 0) return;
  rmdirSync(folder);
}

/**
 * Fills `target`, a new folder: files as they are in the copy now, and a repository of ours whose commit is what the
 * copies of the run began with. `isKept`: it needs nothing of the workplace afterwards. Throws a PictureError where the
 * copy is gone, or cannot be read.
 */
export async function takePicture(
  place: CopyPlace,
  target: string,
  { isKept }: { isKept: boolean },
): Promise<void> {
  const { workplace, tree, overlay, dependencies, repository } = place;
  if (!existsSync(join(workplace, tree))) throw new PictureError('The copy is gone.');
  makeFolder(target, 0o700);
  const isCopied = await (overlay === null
    ? copyPlain(place, target)
    : copyMounted(place, overlay, target));
  if (!isCopied || !existsSync(join(workplace, tree))) {
    throw new PictureError(isCopied ? 'The copy is gone.' : 'The copy could not be mounted.');
  }
  chmodSync(target, 0o700);
  makeHarmless(target);
  for (const dependency of dependencies) removeEmpty(join(target, dependency));
  if (repository === null) return;
  const objects = join(repository.folder, 'objects');
  linkRepository(repository, join(target, '.git'), objects);
  if (!isKept) return;
  rmSync(join(target, '.git/objects/info/alternates'));
  cpSync(objects, join(target, '.git/objects'), { recursive: true });
}
