// Folders with what package managers and builds install: far too many files to copy, so a copy has them by an
// overlay above the project's own. A layer keeps what commands of a run wrote there for those after them.
import { lstatSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Binding } from '../linux/arguments.ts';
import type { OverlayMount } from '../linux/launch.ts';
import type { Workplace } from '../workplace.ts';
import type { Base } from './base.ts';
import { isOwn, makeOverlayFolders } from './overlay.ts';

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

export interface DependencyLayer {
  /** Dependencies that something was written to. */
  paths(): string[];
  has(dependency: string): boolean;
  /** The overlay whose upper folder keeps it, as a name below the workplace. */
  nameOf(dependency: string): string;
  /** Takes over a dependency that a command installed where the project has none. */
  take(dependency: string, from: string): void;
}

export function createLayer(workplace: Workplace): DependencyLayer {
  const names = new Map<string, string>();
  const layer: DependencyLayer = {
    paths: () => [...names.keys()],
    has: (dependency) => names.has(dependency),
    nameOf(dependency) {
      let name = names.get(dependency);
      if (name === undefined) {
        name = workplace.newFolder('layer');
        makeOverlayFolders(workplace.path, name);
        names.set(dependency, name);
      }
      return name;
    },
    take(dependency, from) {
      const upper = join(workplace.path, layer.nameOf(dependency), 'upper');
      rmdirSync(upper);
      renameSync(from, upper);
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
  /** Outside of the copy's own folder. */
  written: string[];
}

/** `copy` is the copy's own folder, as a name below the workplace. */
export function mountDependencies(
  project: string,
  dependencies: readonly string[],
  { layer, isKept }: DependencyUse,
  { workplace, copy, hasOverlays }: { workplace: Workplace; copy: string; hasOverlays: boolean },
): DependencyMounts {
  const mounts: DependencyMounts = { overlays: [], bindings: [], written: [] };
  for (const [index, dependency] of dependencies.entries()) {
    const path = join(project, dependency);
    const isThere = isFolder(path);
    const kept = layer.has(dependency) ? [`${layer.nameOf(dependency)}/upper`] : [];
    if (!hasOverlays || (isThere && !isOwn(path))) {
      const source = kept[0] === undefined ? path : join(workplace.path, kept[0]);
      mounts.bindings.push({ source, path, isReadOnly: true });
      continue;
    }
    const above = isThere ? { above: path } : {};
    let overlay: OverlayMount;
    if (isKept) {
      overlay = { name: layer.nameOf(dependency), layers: [], ...above };
      mounts.written.push(join(workplace.path, overlay.name));
    } else {
      overlay = { name: `${copy}/dependency-${index}`, layers: kept, ...above };
      makeOverlayFolders(workplace.path, overlay.name);
    }
    if (!isThere && overlay.layers.length === 0) {
      // An overlay needs something below it.
      overlay = { ...overlay, layers: [`${overlay.name}/lower`] };
    }
    mounts.overlays.push(overlay);
    const source = join(workplace.path, overlay.name, 'merged');
    mounts.bindings.push({ source, path, isReadOnly: false });
  }
  return mounts;
}

/** What a command installed in its copy where the project has nothing, for the commands after it. */
export function keepInstalled(
  tree: string,
  base: Pick<Base, 'folders'>,
  { layer, mounted }: { layer: DependencyLayer; mounted: readonly string[] },
): void {
  for (const dependency of findDependencies(tree, base)) {
    // Where one is mounted, the tree has an empty folder for it.
    if (!mounted.includes(dependency)) layer.take(dependency, join(tree, dependency));
  }
}
