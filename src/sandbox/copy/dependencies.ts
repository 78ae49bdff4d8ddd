// Folders with what package managers and builds install: far too many files to copy, so a copy has them by an
// overlay above the project's own. A layer keeps what commands of a run wrote there for those after them.
import { lstatSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Binding } from '../linux/arguments.ts';
import type { OverlayMount } from '../linux/launch.ts';
import type { Workplace } from '../workplace.ts';
import type { Base } from './base.ts';
import { isOwn, makeOverlayFolders } from './overlay.ts';
import { removeTree } from './remove-tree.ts';

const NAMES = ['node_modules', '.venv', 'venv', 'vendor', 'target', '.bundle', '.gradle', 'Pods'];

export function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Those in one of the base's folders that have no file of the base in them. */
export function findDependencies(root: string, base: Pick<Base, 'folders'>): string[] {
  return ['', ...base.folders].flatMap((folder) =>
    NAMES.map((name) => join(folder, name)).filter(
      (path) => !base.folders.has(path) && isFolder(join(root, path)),
    ),
  );
}

/**
 * Whatever writes gets a layer of its own above those that are there, and nothing writes to a layer that others
 * may have below them: so a setup does not wait for an agent that works for an hour.
 */
export interface DependencyLayer {
  /** Dependencies that something was written to. */
  paths(): string[];
  /** Folders below the workplace, the uppermost first. */
  layersOf(dependency: string): readonly string[];
  /** What was written to the overlay of this name lies above the rest from now on. */
  add(dependency: string, name: string): void;
  /** Takes over a dependency that a command installed where the project has none. */
  take(dependency: string, from: string): void;
}

export function createLayer(workplace: Workplace): DependencyLayer {
  const layers = new Map<string, readonly string[]>();
  const layer: DependencyLayer = {
    paths: () => [...layers.keys()],
    layersOf: (dependency) => layers.get(dependency) ?? [],
    add(dependency, name) {
      layers.set(dependency, [`${name}/upper`, ...layer.layersOf(dependency)]);
    },
    take(dependency, from) {
      const name = workplace.newFolder('layer');
      const upper = makeOverlayFolders(workplace.path, name);
      rmdirSync(upper);
      renameSync(from, upper);
      layer.add(dependency, name);
    },
  };
  return layer;
}

export interface DependencyUse {
  layer: DependencyLayer;
  /** What is written is in the layer afterwards; otherwise it goes with the copy. */
  isKept: boolean;
}

export interface DependencyMounts {
  overlays: OverlayMount[];
  bindings: Binding[];
  /** Outside of the copy's own folder: what the layer gets afterwards. */
  kept: { dependency: string; name: string }[];
}

/** `copy` is the copy's own folder, as a name below the workplace. */
export function mountDependencies(
  { folder, dependenciesOf }: { folder: string; dependenciesOf: string },
  dependencies: readonly string[],
  { layer, isKept }: DependencyUse,
  { workplace, copy, hasOverlays }: { workplace: Workplace; copy: string; hasOverlays: boolean },
): DependencyMounts {
  const mounts: DependencyMounts = { overlays: [], bindings: [], kept: [] };
  for (const [index, dependency] of dependencies.entries()) {
    const path = join(folder, dependency);
    const own = join(dependenciesOf, dependency);
    const isThere = isFolder(own);
    const layers = layer.layersOf(dependency);
    if (!hasOverlays || (isThere && !isOwn(own))) {
      const [uppermost] = layers;
      const source = uppermost === undefined ? own : join(workplace.path, uppermost);
      mounts.bindings.push({ source, path, isReadOnly: true });
      continue;
    }
    const name = isKept ? workplace.newFolder('layer') : `${copy}/dependency-${index}`;
    makeOverlayFolders(workplace.path, name);
    if (isKept) mounts.kept.push({ dependency, name });
    // An overlay needs something below it.
    const isBare = !isThere && layers.length === 0;
    const overlay: OverlayMount = {
      name,
      layers: isBare ? [`${name}/lower`] : layers,
      ...(isThere && { above: own }),
    };
    mounts.overlays.push(overlay);
    const source = join(workplace.path, overlay.name, 'merged');
    mounts.bindings.push({ source, path, isReadOnly: false });
  }
  return mounts;
}

/** What a command wrote to dependencies, or installed where the project has none, for the commands after it. */
export function keepInstalled(
  tree: string,
  base: Pick<Base, 'folders'>,
  use: {
    layer: DependencyLayer;
    mounted: readonly string[];
    mounts: DependencyMounts;
    workFolder: string;
  },
): void {
  const { layer, mounted, mounts, workFolder } = use;
  for (const { dependency, name } of mounts.kept.splice(0)) {
    if (readdirSync(join(workFolder, name, 'upper')).length > 0) layer.add(dependency, name);
    else removeTree(join(workFolder, name));
  }
  for (const dependency of findDependencies(tree, base)) {
    // Where one is mounted, the tree has an empty folder for it.
    if (!mounted.includes(dependency)) layer.take(dependency, join(tree, dependency));
  }
}
