// How a host starts the tools, for the way Millrace is installed here.
import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import { checkoutLauncher } from '../../../platform/launcher.ts';

export interface Launch {
  command: string;
  args: string[];
}

export interface Installation {
  /** The script of a checkout. */
  launcher: string | undefined;
  /** The file that this process runs. */
  main: string | undefined;
  /** The variable PATH. */
  path: string | undefined;
}

/** npm adds such folders to PATH for what it runs; a host does not see them. */
const ADDED_BY_NPM = join('node_modules', '.bin');

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Whether the name alone starts this very installation, in any folder. */
function isOnPath({ main, path = '' }: Installation): boolean {
  const own = main === undefined ? undefined : realPath(main);
  const folders = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !folder.endsWith(sep + ADDED_BY_NPM));
  const found = folders
    .map((folder) => realPath(join(folder, 'millrace')))
    .find((each) => each !== undefined);
  return found !== undefined && found === own;
}

export function launchOf(installation: Installation): Launch {
  if (installation.launcher !== undefined) {
    return { command: installation.launcher, args: ['mcp'] };
  }
  const { main } = installation;
  if (main === undefined || isOnPath(installation)) return { command: 'millrace', args: ['mcp'] };
  // Its own file: a name that is not in the path of the host starts nothing, or something else.
  return { command: process.execPath, args: [main, 'mcp'] };
}

export function thisInstallation(env: NodeJS.ProcessEnv): Installation {
  return { launcher: checkoutLauncher(), main: process.argv[1], path: env['PATH'] };
}
