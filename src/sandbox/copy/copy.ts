// A private copy of a project: what is listed of it and nothing else, at the project's own path. Where the
// machine mounts overlays it is one above a snapshot, otherwise it is copied file by file.
import { constants, cpSync, existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { makeFolder } from '../../platform/make-folder.ts';
import type { Binding } from '../linux/arguments.ts';
import { INSIDE } from '../inside.ts';
import type { MountRights, OverlayMount } from '../linux/launch.ts';
import type { Programs } from '../linux/programs.ts';
import { bytesIn } from '../watch.ts';
import type { Workplace } from '../workplace.ts';
import { baseOf, entryOf, readBase, versionOf } from './base.ts';
import type { Base } from './base.ts';
import {
  createLayer,
  findDependencies,
  isFolder,
  keepInstalled,
  mountDependencies,
} from './dependencies.ts';
import type { DependencyLayer } from './dependencies.ts';
import { differenceOf, writtenInOverlay, writtenInPlain } from './difference.ts';
import type { Difference } from './difference.ts';
import { entriesInOverlay, makeOverlayFolders } from './overlay.ts';
import type { OverlayPlace } from './overlay.ts';
import type { CopyPlace } from './picture.ts';
import { createFileCopier } from './plain.ts';
import { linkRepository } from './repository.ts';
import { readSoFar, soFarInOverlay, soFarInPlain } from './so-far.ts';
import type { ChangeSoFar } from './so-far.ts';
import { removeTree } from './remove-tree.ts';
import { layering } from './run-base.ts';
import type { RunBase } from './run-base.ts';

export interface CopySource {
  /** The project, without links on the way. */
  folder: string;
  /** What the copy has: paths below the folder. */
  files: readonly string[];
  /** Of those, what it must not have. */
  isSecret(path: string): boolean;
  /** Folders with installed packages, as paths below the folder; found by their names where they are left out. */
  dependencies?: readonly string[];
  /** Where they lie: another folder of the same project; its own where this is left out. */
  dependenciesOf?: string;
  /** What was written to the dependencies of other copies with the same layer is there, too. */
  layer?: DependencyLayer;
  /** What is written to dependencies can be kept in the layer; unless it is false. */
  keepsDependencies?: boolean;
  /** Shared by the copies of one run. */
  base?: RunBase;
}

export interface Copy {
  folder: string;
  /** Where commands find it: at the path of the project, or where there are no mounts, at its own. */
  runsIn: string;
  method: 'overlay' | 'copy';
  /** How dependencies are there: an overlay can be written to, and the project's own are never. */
  dependencies: 'overlay' | 'read-only' | 'clone';
  /** What changed. The copy must not be in use. */
  changes(): Promise<Difference>;
  /** What changed so far, while the copy is in use: for those who look on, and only nearly right. */
  soFar(): ChangeSoFar[];
  /** A changed file as it is now; undefined for what is not plain, or too large to look at. */
  readSoFar(path: string): Buffer | undefined;
  /** What was written to dependencies, and installed where the project has none, is in the layer from now on. */
  keepInstalled(): void;
  /** Where the content of a changed file is. */
  pathOf(path: string): string;
  /** What a file was when the copy was opened; undefined where that is not known any more. */
  before(path: string): Buffer | undefined;
  remove(): void;
  /** For the sandbox. */
  mounts: CopyMounts;
  /** For `takePicture`, also in another process. */
  place: CopyPlace;
  /** Nothing runs in it any more: what a picture does not show is removed. */
  shrink(): void;
}

export interface CopyMounts {
  overlays: OverlayMount[];
  bindings: Binding[];
  written: string[];
  startBytes: number;
}

export interface CopyWorld {
  workplace: Workplace;
  /** Of overlays; undefined where there are none. */
  programs: Programs | undefined;
  /** Whether a copy can appear at the project's own path. */
  hasMounts: boolean;
  /** Undefined where no overlay can be had. */
  mountRights: MountRights | undefined;
}

/** The files of a copy, whichever way it is done. */
interface Tree {
  /** Where what the process writes is. */
  folder: string;
  binding: Binding;
  overlays: OverlayMount[];
  changes(): Promise<Difference>;
  soFar(): ChangeSoFar[];
  before(path: string): Buffer | undefined;
}

async function overlayTree(
  live: Base,
  { source, name, place }: { source: CopySource; name: string; place: OverlayPlace },
  world: CopyWorld,
): Promise<Tree> {
  const own = join(world.workplace.path, name);
  const layersFor = source.base?.layersFor ?? layering(world);
  const { names, base, pathOf } = await layersFor(live, { name: `${name}/changed`, spare: own });
  const folder = makeOverlayFolders(world.workplace.path, name);
  const overlay: OverlayMount = { name, layers: names };
  return {
    folder,
    binding: { source: join(own, 'merged'), path: source.folder, isReadOnly: false },
    overlays: [overlay],
    async changes() {
      const entries = (folders: readonly string[]) => entriesInOverlay(place, overlay, folders);
      return differenceOf(base, await writtenInOverlay(base, folder, entries), pathOf);
    },
    soFar: () => soFarInOverlay(base, folder),
    before: (path) => (base.entries.has(path) ? readFileSync(pathOf(path)) : undefined),
  };
}

function plainTree(live: Base, own: string): Tree {
  const folder = join(own, 'tree');
  mkdirSync(folder);
  const copier = createFileCopier(live.folder, folder);
  const copied = new Map<string, string>();
  for (const [path, entry] of live.entries) {
    if (!copier.copy(path, entry)) continue;
    copied.set(path, versionOf(lstatSync(join(folder, path), { bigint: true })));
  }
  const entries = [...live.entries].filter(([path]) => copied.has(path));
  const base = baseOf(live.folder, new Map(entries));
  return {
    folder,
    binding: { source: folder, path: live.folder, isReadOnly: false },
    overlays: [],
    // Their content is known only as long as the project still has it.
    soFar: () => soFarInPlain(base, folder, copied),
    changes: async () => differenceOf(base, writtenInPlain(base, folder, copied), undefined),
    before(path) {
      const live = join(base.folder, path);
      const text = existsSync(live) ? readFileSync(live) : undefined;
      return entryOf(live)?.version === base.entries.get(path)?.version ? text : undefined;
    },
  };
}

/** Where nothing can be mounted: dependencies are cloned, and the repository lies in the copy. */
function placeInTree(
  tree: string,
  { folder, dependenciesOf = folder, base }: CopySource,
  { dependencies, mounts }: { dependencies: readonly string[]; mounts: CopyMounts },
): void {
  for (const dependency of dependencies) {
    if (!isFolder(join(dependenciesOf, dependency))) continue;
    makeFolder(dirname(join(tree, dependency)));
    const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
    // Blocks are shared where the file system can (APFS does): only names are written.
    cpSync(join(dependenciesOf, dependency), join(tree, dependency), {
      ...options,
      mode: constants.COPYFILE_FICLONE,
    });
  }
  const repository = base?.repository;
  if (repository === undefined) return;
  const objects = join(repository.folder, 'objects');
  linkRepository(repository, join(tree, '.git'), objects);
  mounts.bindings.push({ source: objects, path: objects, isReadOnly: true });
}

export async function openCopy(source: CopySource, world: CopyWorld): Promise<Copy> {
  const { workplace, programs, mountRights, hasMounts } = world;
  const { folder, dependenciesOf = folder } = source;
  const name = workplace.newFolder('copy');
  const own = join(workplace.path, name);
  const listed = readBase(
    folder,
    source.files.filter((path) => !source.isSecret(path)),
  );
  const named = source.dependencies?.filter((path) => isFolder(join(dependenciesOf, path)));
  const dependencies = [
    ...new Set([
      ...(named ?? findDependencies(dependenciesOf, listed)),
      ...(source.layer?.paths() ?? []),
    ]),
  ];
  const isDependency = (path: string) =>
    dependencies.some((one) => path === one || path.startsWith(`${one}/`));
  const kept = [...listed.entries].filter(([path]) => !isDependency(path));
  const live = kept.length === listed.entries.size ? listed : baseOf(listed.folder, new Map(kept));
  const place =
    mountRights === undefined || programs === undefined
      ? undefined
      : { programs, rights: mountRights, workFolder: workplace.path };
  const tree =
    place === undefined
      ? plainTree(live, own)
      : await overlayTree(live, { source, name, place }, world);
  const mounts: CopyMounts = {
    overlays: [...tree.overlays],
    bindings: [tree.binding],
    written: [own],
    startBytes: 0,
  };
  const repository = source.base?.repository;
  if (!hasMounts) placeInTree(tree.folder, source, { dependencies, mounts });
  else if (repository !== undefined) {
    const objects = `${INSIDE.own}/objects`;
    linkRepository(repository, join(own, 'git'), objects);
    mounts.bindings.push(
      { source: join(repository.folder, 'objects'), path: objects, isReadOnly: true },
      { source: join(own, 'git'), path: join(folder, '.git'), isReadOnly: false },
    );
  }
  const layer = source.layer ?? createLayer(workplace);
  const isKept = source.keepsDependencies ?? true;
  const hasOverlays = place !== undefined;
  const use = { layer, isKept };
  const toMount = hasMounts ? dependencies : [];
  const where = { workplace, copy: name, hasOverlays };
  const installed = mountDependencies({ folder, dependenciesOf }, toMount, use, where);
  mounts.overlays.push(...installed.overlays);
  mounts.bindings.push(...installed.bindings);
  const keptFolders = installed.kept.map((one) => join(workplace.path, one.name));
  mounts.written.push(...keptFolders);
  mounts.startBytes = mounts.written.reduce((sum, path) => sum + bytesIn(path), 0);

  const isOurs = (path: string) => !hasMounts && (path === '.git' || path.startsWith('.git/'));
  return {
    folder,
    runsIn: hasMounts ? folder : tree.folder,
    method: place === undefined ? 'copy' : 'overlay',
    dependencies: !hasMounts ? 'clone' : place === undefined ? 'read-only' : 'overlay',
    mounts,
    place: {
      workplace: workplace.path,
      tree: relative(workplace.path, tree.folder),
      overlay:
        place === undefined
          ? null
          : { rights: place.rights, layers: [...tree.overlays[0]!.layers] },
      dependencies,
      repository: repository ?? null,
    },
    pathOf: (path) => join(tree.folder, path),
    before: tree.before,
    shrink() {
      const own = installed.overlays.filter((overlay) => overlay.name.startsWith(`${name}/`));
      for (const overlay of own) removeTree(join(workplace.path, overlay.name));
    },
    readSoFar: (path) => readSoFar(tree.folder, path),
    soFar: () => tree.soFar().filter(({ path }) => !isDependency(path) && !isOurs(path)),
    remove() {
      removeTree(own);
      for (const { name: unkept } of installed.kept) removeTree(join(workplace.path, unkept));
    },
    keepInstalled: () =>
      hasMounts &&
      keepInstalled(tree.folder, live, {
        layer,
        mounted: dependencies,
        mounts: installed,
        workFolder: workplace.path,
      }),
    async changes() {
      const { changes, repositories } = await tree.changes();
      return {
        changes: changes.filter(({ path }) => !isDependency(path) && !isOurs(path)),
        repositories: repositories.filter((path) => hasMounts || path !== ''),
      };
    },
  };
}
