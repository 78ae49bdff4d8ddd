// The project that a command is about, and where the state of its runs is kept.
import { readdirSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findStateDir, stateHomeOf } from '../../../orchestrator/state/state-dir.ts';
import type { ProjectPlace } from '../../../orchestrator/state/state-dir.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import type { ClientSettings } from '../../settings/client-settings.ts';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { note } from '../../terminal/output.ts';

export interface Project extends ProjectPlace {
  settings: ClientSettings;
}

/** What once was kept in the project, or what somebody put there to look like it. */
const NOT_OURS = new Set(['runs', 'txn', 'lock', 'detached.log']);

/** Never used, whoever made it; but whoever looks for it should know. */
function mentionForeignState(root: string, stateDir: string): void {
  let names: string[];
  try {
    names = readdirSync(join(root, '.millrace')).filter((name) => NOT_OURS.has(name));
  } catch {
    return;
  }
  if (names.length === 0) return;
  const list = names.sort().join(', ');
  note(`Ignoring ${list} in .millrace: run state is only read from ${stateDir}.`);
}

export async function findProject(options: CommandOptions): Promise<Project> {
  // `--model` stands above the manifest, the setting of that name below it: they are told apart.
  const { model: _, ...others } = options;
  const settings = readClientSettings(others, process.env, process.cwd());
  const folder = settings.workspace?.value ?? process.cwd();
  let root: string;
  try {
    root = await realpath(folder);
  } catch {
    throw new CommandError({
      code: 'NO_SUCH_FOLDER',
      message: `${settings.workspace?.from ?? ''} names ${folder}, which is not there.`,
      hint: 'Name the root folder of the project.',
    });
  }
  const stateDir = await findStateDir(root, stateHomeOf(process.env, homedir()));
  mentionForeignState(root, stateDir);
  return { root, stateDir, settings };
}
