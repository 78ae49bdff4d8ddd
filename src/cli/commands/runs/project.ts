// The project that a command is about, as flags and settings name it.
import { homedir } from 'node:os';
import { stateHomeOf } from '../../../config/state-folder.ts';
import { openProject } from '../../../orchestrator/index.ts';
import type { ProjectPlace } from '../../../orchestrator/index.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import type { ClientSettings } from '../../settings/client-settings.ts';
import type { CommandOptions } from '../../command.ts';
import { note } from '../../terminal/output.ts';

export interface Project extends ProjectPlace {
  settings: ClientSettings;
}

export async function findProject(options: CommandOptions): Promise<Project> {
  // `--model` stands above the manifest, the setting of that name below it: they are kept apart.
  const { model: _, ...others } = options;
  const settings = readClientSettings(others, process.env, process.cwd());
  const folder = settings.workspace?.value ?? process.cwd();
  const opened = await openProject(folder, stateHomeOf(process.env, homedir()));
  const { root, stateDir, ignoredState } = opened;
  if (ignoredState.length > 0) {
    const list = ignoredState.join(', ');
    note(`Ignoring ${list} in .millrace: run state is only read from ${stateDir}.`);
  }
  return { root, stateDir, settings };
}
