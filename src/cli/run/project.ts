// The project that a command is about: the folder that holds `.millrace`.
import { realpath } from 'node:fs/promises';
import { readClientSettings } from '../client-settings.ts';
import type { ClientSettings } from '../client-settings.ts';
import type { CommandOptions } from '../command.ts';
import { CommandError } from '../command-error.ts';

export interface Project {
  root: string;
  settings: ClientSettings;
}

export async function findProject(options: CommandOptions): Promise<Project> {
  // `--model` stands above the manifest, the setting of that name below it: they are told apart.
  const { model: _, ...others } = options;
  const settings = readClientSettings(others, process.env, process.cwd());
  const folder = settings.workspace?.value ?? process.cwd();
  try {
    return { root: await realpath(folder), settings };
  } catch {
    throw new CommandError({
      code: 'NO_SUCH_FOLDER',
      message: `${settings.workspace?.from ?? ''} names ${folder}, which is not there.`,
      hint: 'Name the root folder of the project.',
    });
  }
}
