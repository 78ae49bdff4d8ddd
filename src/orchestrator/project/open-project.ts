// A project, and where the state of its runs is kept.
import { readdirSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { OrchestratorError } from '../errors.ts';
import { findStateDir } from '../state/state-dir.ts';
import type { ProjectPlace } from '../state/state-dir.ts';

export interface OpenedProject extends ProjectPlace {
  /** What lies in the project and looks like state of runs; it is never used, whatever its origin. */
  ignoredState: string[];
}

const LOOKS_LIKE_STATE = new Set(['runs', 'txn', 'lock', 'detached.log']);

function stateIn(root: string): string[] {
  try {
    const names = readdirSync(join(root, '.millrace'));
    return names.filter((name) => LOOKS_LIKE_STATE.has(name)).sort();
  } catch {
    return [];
  }
}

/** `stateHome` is the user's own state folder (`stateHomeOf`). */
export async function openProject(folder: string, stateHome: string): Promise<OpenedProject> {
  let root: string;
  try {
    root = await realpath(folder);
  } catch {
    throw new OrchestratorError({
      code: 'NO_SUCH_FOLDER',
      message: `The folder ${folder} does not exist.`,
      hint: 'Name the root folder of the project.',
    });
  }
  return { root, stateDir: await findStateDir(root, stateHome), ignoredState: stateIn(root) };
}
