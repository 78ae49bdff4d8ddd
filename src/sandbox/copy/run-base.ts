// What the copies of one run share: the project as it was when the run began, once as a folder that
// overlays lie above, and once as a commit.
import { join } from 'node:path';
import type { Workplace } from '../workplace.ts';
import type { CopyWorld } from './copy.ts';
import { readBase } from './base.ts';
import type { Base } from './base.ts';
import { removeTree } from './remove-tree.ts';
import { createRepository } from './repository.ts';
import type { Repository } from './repository.ts';
import { changesSince, isMuch, takeSnapshot, writeLayer } from './snapshot.ts';
import type { Snapshot } from './snapshot.ts';

export interface RunBase {
  /** Undefined where there is no git. */
  repository: Repository | undefined;
  layersFor(live: Base, place: LayerPlace): Promise<Layers>;
}

export interface LayerPlace {
  /** For what changed since the snapshot; below the workplace, not there yet. */
  name: string;
  /** A folder on the same file system. */
  spare: string;
}

export interface Layers {
  /** Below the workplace, the uppermost first. */
  names: string[];
  /** What is in them together. */
  base: Base;
  /** Where a file of the base is. */
  pathOf(path: string): string;
}

export interface BaseSource {
  /** The project, without links on the way. */
  folder: string;
  files: readonly string[];
  isSecret(path: string): boolean;
}

/** While it copies, another process finds out whether there are overlays. */
export async function openRunBase(
  source: BaseSource,
  workplace: Workplace,
  finding: Promise<CopyWorld>,
): Promise<RunBase> {
  const { path } = workplace;
  const live = readBase(
    source.folder,
    source.files.filter((file) => !source.isSecret(file)),
  );
  const writer = await createRepository(join(path, workplace.newFolder('repository')));
  const first = await takeSnapshot(workplace, live, writer?.add);
  const repository = await writer?.end(join(path, first.name));
  const world = await finding;
  // Only overlays lie above it.
  if (world.mountRights === undefined) removeTree(join(path, first.name));
  return { repository, layersFor: layering(world, first) };
}

/** Of a copy that no run shares. */
export function layering({ workplace }: CopyWorld, first?: Snapshot): RunBase['layersFor'] {
  let snapshot = first;
  const below = ({ name, base }: Snapshot): Layers => ({
    names: [name],
    base,
    pathOf: (path) => join(workplace.path, name, path),
  });
  return async (live, { name, spare }) => {
    if (snapshot === undefined) return below((snapshot = await takeSnapshot(workplace, live)));
    const changes = changesSince(snapshot.base, live);
    const written = new Set(changes.written);
    if (written.size + changes.removed.size === 0) return below({ ...snapshot, base: live });
    const layer = join(workplace.path, name);
    const base = isMuch(changes, live)
      ? undefined
      : writeLayer(snapshot, live, changes, { layer, spare });
    if (base === undefined) return below((snapshot = await takeSnapshot(workplace, live)));
    const lower = join(workplace.path, snapshot.name);
    return {
      names: [name, snapshot.name],
      base,
      pathOf: (path) => join(written.has(path) ? layer : lower, path),
    };
  };
}
