// A private copy of a project: what is listed of it and nothing else, at the project's own path. Which way
// it is done is found by trying: shared blocks, an overlay, or file by file.
import { constants, copyFileSync, existsSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Binding } from '../linux/arguments.ts';
import { INSIDE } from '../linux/arguments.ts';
import type { MountRights, OverlayMount } from '../linux/launch.ts';
import type { Programs } from '../linux/programs.ts';
import { bytesIn } from '../watch.ts';
import type { Workplace } from '../workplace.ts';
import { readBase, versionOf } from './base.ts';
import type { Base } from './base.ts';
import { differenceOf, writtenInOverlay, writtenInPlain } from './difference.ts';
import type { Difference } from './difference.ts';
import { hiddenEntries, hide } from './hide.ts';
import { entriesInOverlay, isOwn, makeOverlayFolders } from './overlay.ts';
import { copyFiles } from './plain.ts';
import { linkRepository } from './repository.ts';
import type { Repository } from './repository.ts';
import { removeTree } from './remove-tree.ts';

export interface CopySource {
  /** The project, without links on the way. */
  folder: string;
  /** What the copy has: paths below the folder. */
  files: readonly string[];
  /** Of those, what it must not have. */
  isSecret(path: string): boolean;
  /** Folders with installed packages, as paths below the folder; they may be missing. */
  dependencies: readonly string[];
  /** What was written to the dependencies of other copies with the same layer is there, too. */
  layer?: DependencyLayer;
  repository?: Repository;
}

/** Keeps what commands write to folders with packages, for the commands after them. */
export interface DependencyLayer {
  nameOf(dependency: string): string;
}

export interface Copy {
  folder: string;
  method: 'reflink' | 'overlay' | 'copy';
  /** How dependencies are there: an overlay can be written to, and the project's own are never. */
  dependencies: 'overlay' | 'read-only';
  /** What changed. The copy must not be in use. */
  changes(): Promise<Difference>;
  /** Where the content of a changed file is. */
  pathOf(path: string): string;
  remove(): void;
  /** For the sandbox. */
  mounts: CopyMounts;
}

export interface CopyMounts {
  overlays: OverlayMount[];
  bindings: Binding[];
  written: string[];
  startBytes: number;
}

export interface CopyWorld {
  workplace: Workplace;
  programs: Programs;
  /** Undefined where no overlay can be had. */
  mountRights: MountRights | undefined;
}

/** Whether a file of the project can share its blocks with one of ours. */
function sharesBlocks(base: Base, folder: string): boolean {
  for (const [path, { kind, size }] of base.entries) {
    if (kind !== 'file' || size === 0) continue;
    try {
      copyFileSync(
        join(base.folder, path),
        join(folder, 'trial'),
        constants.COPYFILE_FICLONE_FORCE,
      );
      return true;
    } catch {
      return false;
    }
  }
  return false;
}

export function createLayer(workplace: Workplace): DependencyLayer {
  const names = new Map<string, string>();
  return {
    nameOf(dependency) {
      let name = names.get(dependency);
      if (name === undefined) {
        name = workplace.newFolder('layer');
        makeOverlayFolders(workplace.path, name);
        names.set(dependency, name);
      }
      return name;
    },
  };
}

export async function openCopy(source: CopySource, world: CopyWorld): Promise<Copy> {
  const { workplace, programs, mountRights } = world;
  const { folder } = source;
  const name = workplace.newFolder('copy');
  const own = join(workplace.path, name);
  const base = readBase(
    folder,
    source.files.filter((path) => !source.isSecret(path)),
  );
  const dependencies = source.dependencies.filter((path) => isFolder(join(folder, path)));
  const place = mountRights && { programs, rights: mountRights, workFolder: workplace.path };
  const overlay: OverlayMount = { lower: folder, name };
  const method = chooseMethod();
  const mounts: CopyMounts = { overlays: [], bindings: [], written: [own], startBytes: 0 };
  let tree: string;
  let copied: ReadonlyMap<string, string> = new Map();

  function chooseMethod(): Copy['method'] {
    if (sharesBlocks(base, own)) return 'reflink';
    if (place === undefined || !isOwn(folder)) return 'copy';
    const upper = makeOverlayFolders(workplace.path, name);
    return hide(base, upper, hiddenEntries(base, new Set(dependencies))) ? 'overlay' : 'copy';
  }

  if (method === 'overlay') {
    tree = join(own, 'upper');
    mounts.overlays.push(overlay);
    mounts.bindings.push({ source: join(own, 'merged'), path: folder, isReadOnly: false });
  } else {
    tree = join(own, 'tree');
    mkdirSync(tree);
    copyFiles(base, tree);
    copied = new Map(
      [...base.entries.keys()].map((path) => [
        path,
        versionOf(lstatSync(join(tree, path), { bigint: true })),
      ]),
    );
    mounts.bindings.push({ source: tree, path: folder, isReadOnly: false });
  }
  if (source.repository !== undefined) {
    const { repository } = source;
    const objects = `${INSIDE.own}/objects`;
    linkRepository(repository, join(own, 'git'), objects);
    mounts.bindings.push(
      { source: join(repository.folder, 'objects'), path: objects, isReadOnly: true },
      { source: join(own, 'git'), path: join(folder, '.git'), isReadOnly: false },
    );
  }
  addDependencies();
  mounts.startBytes = bytesIn(own);

  function addDependencies(): void {
    const layer = source.layer ?? createLayer(workplace);
    for (const dependency of dependencies) {
      const lower = join(folder, dependency);
      const layered = place !== undefined && isOwn(lower) ? layer.nameOf(dependency) : undefined;
      if (layered !== undefined) {
        mounts.overlays.push({ lower, name: layered });
        mounts.written.push(join(workplace.path, layered));
      }
      const seen = layered === undefined ? lower : join(workplace.path, layered, 'merged');
      mounts.bindings.push({ source: seen, path: lower, isReadOnly: layered === undefined });
    }
  }

  return {
    folder,
    method,
    dependencies: place === undefined ? 'read-only' : 'overlay',
    mounts,
    pathOf: (path) => join(tree, path),
    remove: () => removeTree(own),
    async changes() {
      const written =
        method === 'overlay' && place !== undefined
          ? await writtenInOverlay(base, tree, (folders) =>
              entriesInOverlay(place, overlay, folders),
            )
          : writtenInPlain(base, tree, copied);
      const isDependency = (path: string) =>
        dependencies.some((one) => path === one || path.startsWith(`${one}/`));
      const { changes, repositories } = differenceOf(base, written);
      return { changes: changes.filter(({ path }) => !isDependency(path)), repositories };
    },
  };
}

function isFolder(path: string): boolean {
  return existsSync(path) && lstatSync(path).isDirectory();
}
