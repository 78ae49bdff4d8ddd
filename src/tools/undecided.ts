// Executions that were started for this workspace and whose results nobody has decided on yet. Only they
// are written without a command of the user: an id that a caller names may belong to another project.
// Kept with the state of the project, because the process that sees the end may be another one.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXECUTION_ID_PATTERN } from '../contract/fields.ts';
import { makeStateDir } from '../orchestrator/index.ts';
import type { Workspace } from './deps.ts';
import { makeFolder } from '../platform/make-folder.ts';

const FOLDER = 'undecided-executions';
const MOST_KEPT = 100;

/** `asked`: the question is with the user; the others: what was said, not acted on yet. */
const STATES = ['open', 'asked', 'yes', 'no', 'none'] as const;
type State = (typeof STATES)[number];

export interface Undecided {
  state: State;
  sinceMs: number;
}

const fileOf = ({ stateDir }: Workspace, id: string) => join(stateDir, FOLDER, id);

export async function rememberUndecided(
  workspace: Workspace,
  id: string,
  state: State,
): Promise<void> {
  // The id comes from a server, and becomes the name of a file.
  if (!EXECUTION_ID_PATTERN.test(id)) return;
  const folder = join(workspace.stateDir, FOLDER);
  try {
    await makeStateDir(workspace);
    makeFolder(folder, 0o700);
    // One that has a state keeps it: a second call for the same execution asks nothing again.
    const flag = state === 'open' ? 'wx' : 'w';
    writeFileSync(fileOf(workspace, id), state, { mode: 0o600, flag });
    // Ids begin with their time: the oldest go.
    for (const old of readdirSync(folder).sort().slice(0, -MOST_KEPT)) {
      rmSync(join(folder, old), { force: true });
    }
  } catch {
    // The result is then written by the command, which it comes with.
  }
}

export function findUndecided(workspace: Workspace, id: string): Undecided | undefined {
  try {
    const file = fileOf(workspace, id);
    const text = readFileSync(file, 'utf8');
    const state = STATES.find((each) => each === text) ?? 'asked';
    return { state, sinceMs: statSync(file).mtimeMs };
  } catch {
    return undefined;
  }
}

export function forgetUndecided(workspace: Workspace, id: string): void {
  try {
    rmSync(fileOf(workspace, id), { force: true });
  } catch {
    // It stays undecided; what was applied is known from its record.
  }
}
