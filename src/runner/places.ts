// Where the run of a request works: in the owner's folder of the project, one after the other, or in a folder of a clone,
// as many as the runner may have at a time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commitOf } from '../git/worktree.ts';
import {
  OrchestratorError,
  checkUnlocked,
  findRun,
  listRunsOn,
  openProject,
} from '../orchestrator/index.ts';
import type { FoundRun } from '../orchestrator/index.ts';
import { CloneTooLarge } from './clone-size.ts';
import { clonesHomeOf, openClone } from './clones.ts';
import type { Clone } from './clones.ts';
import { IDLE_MS, clonesIn, removeClone, tidyClone } from './tidy-clone.ts';
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

export interface Wanted {
  base: string | null;
  /** The place is where that run was made. */
  runId: string | undefined;
  /** An earlier attempt may have begun it here: then its place is where this one continues. */
  branch: string | undefined;
  signal: AbortSignal;
}

export interface Places {
  /** Whether another request of this project could begin now. */
  isFree(project: string): boolean;
  /** Brings a repository here that is cloned, so that it is known what is in it. */
  prepare(name: string, project: AllowedProject, signal: AbortSignal): Promise<void>;
  /** Waits where another run works in the only place that will do. */
  take(name: string, project: AllowedProject, wanted: Wanted): Promise<Place>;
  /** Makes room in clones, and removes those that no project needs; `say` hears what became of them. */
  tidy(
    projects: Readonly<Record<string, AllowedProject>>,
    about: { now: number; say(line: string): void },
  ): Promise<void>;
}

/** Of a clone; the base of runs is a folder of it. */
const slotIn = (folder: string): number => Number(folder.slice(folder.lastIndexOf('-') + 1));

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

/** Fails when it is stopped before its turn; else it never ends. */
function endOfWait(turn: Promise<unknown>, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    void turn.then(() => signal.removeEventListener('abort', stop));
  });
}

const LOCK_EVERY_MS = 200;

/** A run of the owner may work here, or one that still stops after its runner was killed. */
async function untilUnlocked(root: string, stateHome: string, signal: AbortSignal): Promise<void> {
  const { stateDir } = await openProject(root, stateHome);
  for (;;) {
    try {
      return checkUnlocked(stateDir);
    } catch (error) {
      if (!(error instanceof OrchestratorError && error.code === 'RUN_LOCKED')) throw error;
    }
    await delay(LOCK_EVERY_MS, undefined, { signal });
  }
}

/** Whether the owner has made runs on this branch: they are none of a request's. */
export async function isOwners(root: string, stateHome: string, branch: string): Promise<boolean> {
  const { stateDir } = await openProject(root, stateHome);
  for (const runId of await listRunsOn(stateDir, branch)) {
    const [started] = (await runIn(root, stateHome, runId))?.events ?? [];
    if (started?.type === 'run.started' && started.requestId === undefined) return true;
  }
  return false;
}

export function createPlaces(
  stateHome: string,
  {
    concurrency,
    mostBytes,
    silentMs,
  }: { concurrency: number; mostBytes: number; silentMs?: number },
): Places {
  /** Of each project. */
  const busy = new Map<string, Set<number>>();
  const slotsOf = (name: string) => {
    const slots = busy.get(name) ?? new Set<number>();
    busy.set(name, slots);
    return slots;
  };
  /** One at a time: they write the same references. */
  const updates = new Map<string, Promise<unknown>>();
  /** Who waits for a place of a project. */
  const waiting = new Map<string, (() => void)[]>();
  /** Clones that are too large. */
  const refused = new Set<string>();
  const kinds = new Map<string, 'folder' | 'clone'>();

  const ranHere = async (root: string, runId: string) =>
    (await runIn(root, stateHome, runId)) !== undefined;

  const cloneOf = (name: string, address: string) =>
    openClone(stateHome, name, { address, mostBytes, ...(silentMs && { silentMs }) });

  /** One after the other: what is done with a clone changes the same files of it. Who is stopped waits no longer. */
  function alone<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = (updates.get(name) ?? Promise.resolve()).catch(() => undefined);
    const done = before.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    updates.set(name, done);
    return signal === undefined ? done : Promise.race([done, endOfWait(before, signal)]);
  }

  async function makeRoom(name: string, clone: Clone, now: number): Promise<number> {
    const isBusy = (folder: string) => slotsOf(name).has(slotIn(folder));
    return (await tidyClone(clone, isBusy, { now, idleMs: IDLE_MS, mostBytes })).bytes;
  }

  /** With what is new, in the size that it may have; the commit that its own branch is at. */
  async function update(name: string, clone: Clone, signal: AbortSignal): Promise<string> {
    const bring = async () => {
      try {
        return await clone.update(signal);
      } catch (error) {
        if (!(error instanceof CloneTooLarge)) throw error;
        const isUsed = clone.folders().some((folder) => existsSync(join(folder, '.git')));
        if (isUsed) await makeRoom(name, clone, Date.now());
        // It is no more than a copy yet.
        else await removeClone(clone);
        throw error;
      }
    };
    return alone(name, bring, signal);
  }

  /** Resolves when a place of the project is given back. */
  function nextFree(name: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason as Error);
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      waiting.set(name, [
        ...(waiting.get(name) ?? []),
        () => {
          signal.removeEventListener('abort', stop);
          resolve();
        },
      ]);
    });
  }

  function giveBack(name: string, slot: number): void {
    slotsOf(name).delete(slot);
    const woken = waiting.get(name) ?? [];
    waiting.delete(name);
    for (const wake of woken) wake();
  }

  /** The folder that the work has to be done in; undefined: in any. */
  async function slotFor(
    clone: Clone,
    { runId, branch }: Pick<Wanted, 'runId' | 'branch'>,
  ): Promise<number | undefined> {
    for (const folder of clone.folders()) {
      if (runId !== undefined && (await ranHere(folder, runId))) return slotIn(folder);
      if (runId !== undefined || branch === undefined) continue;
      const { stateDir } = await openProject(folder, stateHome);
      if ((await listRunsOn(stateDir, branch)).length > 0) return slotIn(folder);
    }
    if (runId === undefined) return undefined;
    throw new PlaceError(`The files of ${runId} are not on this runner any more.`);
  }

  async function takeSlot(name: string, clone: Clone, wanted: Wanted): Promise<number> {
    const slots = slotsOf(name);
    for (;;) {
      let slot = await slotFor(clone, wanted);
      if (slot === undefined) {
        slot = 1;
        while (slots.has(slot)) slot += 1;
      }
      if (!slots.has(slot)) {
        slots.add(slot);
        return slot;
      }
      await nextFree(name, wanted.signal);
    }
  }

  async function inClone(name: string, repo: string, wanted: Wanted): Promise<Place> {
    const { base, signal } = wanted;
    const clone = cloneOf(name, repo);
    const slot = await takeSlot(name, clone, wanted);
    const release = () => giveBack(name, slot);
    try {
      const tip = await update(name, clone, signal);
      if (base !== null && !(await clone.has(base))) throw missingBase(base);
      const commit = base ?? tip;
      const used = clone.folders().find((folder) => slotIn(folder) === slot);
      if (used !== undefined) await untilUnlocked(used, stateHome, signal);
      const root = await alone(name, () => clone.open(slot, commit));
      return { root, base: commit, release };
    } catch (error) {
      release();
      if (!(error instanceof CloneTooLarge)) throw error;
      throw new PlaceError(error.message, error.remedy);
    }
  }

  return {
    isFree(name) {
      const { size } = slotsOf(name);
      return kinds.get(name) === 'folder' ? size === 0 : size < concurrency;
    },
    async prepare(name, { repo }, signal) {
      if (repo === undefined || refused.has(`${name} ${repo}`)) return;
      try {
        await update(name, cloneOf(name, repo), signal);
      } catch (error) {
        // It would be brought here again and again, to be thrown away; a request tries once more.
        if (error instanceof CloneTooLarge) refused.add(`${name} ${repo}`);
        throw error;
      }
    },
    async tidy(projects, { now, say }) {
      for (const name of clonesIn(clonesHomeOf(stateHome))) {
        const isKnown = Object.hasOwn(projects, name);
        const address = isKnown ? projects[name]!.repo : undefined;
        const clone = cloneOf(name, address ?? '');
        if (address !== undefined) {
          const bytes = await alone(name, () => makeRoom(name, clone, now));
          if (bytes > mostBytes) say(`${name}  ${new CloneTooLarge(name, mostBytes).message}`);
        } else if (slotsOf(name).size === 0) {
          const kept = await alone(name, () => removeClone(clone));
          say(
            kept === undefined
              ? `${name}  its clone was removed`
              : `${name}  its clone stays in ${clone.home}: ${kept}`,
          );
        }
      }
    },
    async take(name, { path, repo }, wanted) {
      if (path === undefined) {
        kinds.set(name, 'clone');
        return inClone(name, repo!, wanted);
      }
      kinds.set(name, 'folder');
      while (slotsOf(name).size > 0) await nextFree(name, wanted.signal);
      slotsOf(name).add(1);
      const release = () => giveBack(name, 1);
      try {
        if (!existsSync(join(path, '.git'))) {
          throw new PlaceError(
            `${name} is no git repository on this runner, or its folder is gone.`,
          );
        }
        await untilUnlocked(path, stateHome, wanted.signal);
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
