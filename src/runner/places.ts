// Where the run of a request works: in the owner's folder of the project, one after the other, or in a folder of a clone,
// as many as the runner may have at a time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commitOf } from '../git/worktree.ts';
import { findRun, openProject } from '../orchestrator/index.ts';
import type { FoundRun } from '../orchestrator/index.ts';
import { openClone } from './clones.ts';
import type { Clone } from './clones.ts';
import type { AllowedProject } from './runner-file.ts';

export interface Place {
  root: string;
  /** At which a new branch begins. */
  base: string;
  release(): void;
}

/** Why the request cannot be done here; the text is for who asked. */
export class PlaceError extends Error {
  override name = 'PlaceError';
  readonly remedy: string | undefined;

  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}

export interface Places {
  /** Whether another request of this project could begin now. */
  isFree(project: string): boolean;
  /** Brings a repository here that is cloned, so that it is known what is in it. */
  prepare(name: string, project: AllowedProject, signal: AbortSignal): Promise<void>;
  /** Takes the place at once; what it needs comes later. `runId`: where that run was made. */
  take(
    name: string,
    project: AllowedProject,
    wanted: { base: string | null; runId: string | undefined; signal: AbortSignal },
  ): Promise<Place>;
}

async function headOf(root: string): Promise<string> {
  const head = await commitOf(root, 'HEAD');
  if (head === undefined) throw new PlaceError('The repository has no commit yet.');
  return head;
}

function missingBase(base: string): PlaceError {
  return new PlaceError(
    `The commit ${base.slice(0, 12)}, at which this was begun, is not in the repository of this runner.`,
  );
}

/** Undefined where this folder knows no such run. */
export async function runIn(
  root: string,
  stateHome: string,
  runId: string,
): Promise<FoundRun | undefined> {
  const { stateDir } = await openProject(root, stateHome);
  const found = await findRun(stateDir, runId).catch(() => undefined);
  return found?.runId === runId ? found : undefined;
}

export function createPlaces(stateHome: string, concurrency: number): Places {
  /** Of each project. */
  const busy = new Map<string, Set<number>>();
  const slotsOf = (name: string) => {
    const slots = busy.get(name) ?? new Set<number>();
    busy.set(name, slots);
    return slots;
  };
  /** One at a time: they write the same references. */
  const updates = new Map<string, Promise<unknown>>();
  const kinds = new Map<string, 'folder' | 'clone'>();

  const ranHere = async (root: string, runId: string) =>
    (await runIn(root, stateHome, runId)) !== undefined;

  function update(name: string, clone: Clone, signal: AbortSignal): Promise<string> {
    const updated = (updates.get(name) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => clone.update(signal));
    updates.set(name, updated);
    return updated;
  }

  async function inClone(
    name: string,
    repo: string,
    slots: Set<number>,
    {
      base,
      runId,
      signal,
    }: { base: string | null; runId: string | undefined; signal: AbortSignal },
  ): Promise<Place> {
    const clone = openClone(stateHome, name, repo);
    let slot = 1;
    if (runId === undefined) {
      while (slots.has(slot)) slot += 1;
    } else {
      slot = 0;
      for (const folder of clone.folders()) {
        if (await ranHere(folder, runId)) slot = Number(folder.slice(folder.lastIndexOf('-') + 1));
      }
      if (slot === 0)
        throw new PlaceError(`The files of ${runId} are not on this runner any more.`);
      if (slots.has(slot)) throw new PlaceError(`Another run works where ${runId} was made.`);
    }
    slots.add(slot);
    const release = () => void slots.delete(slot);
    try {
      const tip = await update(name, clone, signal);
      if (base !== null && !(await clone.has(base))) throw missingBase(base);
      const commit = base ?? tip;
      return { root: await clone.open(slot, commit), base: commit, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    isFree(name) {
      const { size } = slotsOf(name);
      return kinds.get(name) === 'folder' ? size === 0 : size < concurrency;
    },
    async prepare(name, { repo }, signal) {
      if (repo !== undefined) await update(name, openClone(stateHome, name, repo), signal);
    },
    async take(name, { path, repo }, wanted) {
      const slots = slotsOf(name);
      if (path === undefined) {
        kinds.set(name, 'clone');
        return inClone(name, repo!, slots, wanted);
      }
      kinds.set(name, 'folder');
      if (slots.size > 0) throw new PlaceError('Another run works in this folder.');
      slots.add(1);
      const release = () => void slots.delete(1);
      try {
        if (!existsSync(join(path, '.git'))) {
          throw new PlaceError(
            `${name} is no git repository on this runner, or its folder is gone.`,
          );
        }
        const base = wanted.base ?? (await headOf(path));
        if ((await commitOf(path, base)) === undefined) throw missingBase(base);
        if (wanted.runId !== undefined && !(await ranHere(path, wanted.runId))) {
          throw new PlaceError(`The files of ${wanted.runId} are not on this runner any more.`);
        }
        return { root: path, base, release };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
