// The project that the tools work in. Assistants start the process in folders of their own, so it is
// the working folder only if that looks like a project.
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../../config/config-error.ts';
import { stateHomeOf } from '../../../config/state-folder.ts';
import { openProject } from '../../../orchestrator/index.ts';
import { allowedEntries } from '../../../config/allowed-files.ts';
import type { Workspace } from '../../../tools/deps.ts';
import { commandIn } from '../../command-name.ts';
import type { ClientSettings, Found } from '../../settings/client-settings.ts';

const SIGNS = ['.git', 'package.json', 'pyproject.toml', 'go.mod', 'Cargo.toml', '.millrace'];

function folderOf(settings: ClientSettings, env: NodeJS.ProcessEnv): Found | undefined {
  if (settings.workspace !== undefined) return settings.workspace;
  const { CLAUDE_PROJECT_DIR: given } = env;
  if (given) return { value: given, from: 'CLAUDE_PROJECT_DIR' };
  const here = process.cwd();
  const isProject = !isTooWide(here) && SIGNS.some((name) => existsSync(join(here, name)));
  return isProject ? { value: here, from: 'the working folder' } : undefined;
}

/** A whole disk or a whole home folder is nothing to read files from. */
function isTooWide(folder: string): boolean {
  try {
    const real = realpathSync(folder);
    return real === dirname(real) || real === realpathSync(homedir());
  } catch {
    return false;
  }
}

export interface FoundWorkspace extends Workspace {
  from: string;
}

export async function findWorkspace(
  settings: ClientSettings,
  env: NodeJS.ProcessEnv,
): Promise<FoundWorkspace | undefined> {
  const found = folderOf(settings, env);
  if (found === undefined) return undefined;
  if (isTooWide(found.value)) {
    throw new ConfigError([
      `${found.from} names ${found.value}, which is too wide for a workspace. Name the folder of one project.`,
    ]);
  }
  const { root, stateDir } = await openProject(found.value, stateHomeOf(env, homedir()));
  return {
    root,
    stateDir,
    from: found.from,
    allowed: allowedEntries(env),
    applyCommand: (id) => commandIn(root, 'apply', id),
    // Loaded when it is asked for: estimates need prices and all that streams are shown.
    makePlan: async (text) =>
      (await import('./plan-of.ts')).planOf({ root, stateDir }, text, {
        env,
        defaultModel: settings.model?.value,
      }),
  };
}
