// The config file of a host: found, read and written as a whole.
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { leadsOutside } from '../../../platform/inside-folder.ts';
import { writeWholeFile } from '../../../platform/whole-file.ts';
import { CommandError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { replaceFile } from '../../terminal/replace-file.ts';
import type { Host, Scope } from './hosts.ts';
import { makeFolder } from '../../../platform/make-folder.ts';

export interface ConfigFile {
  /** As the host finds it. */
  path: string;
  /** Where a link leads, else the same. */
  real: string;
  /** Undefined when there is no file. */
  text: string | undefined;
}

const PRINT_HINT = 'Use --print to see the entry, and add it yourself.';
/** Claude Code keeps more than settings in its file. */
const MAX_BYTES = 64 * 1024 * 1024;

function refused(message: string, hint = PRINT_HINT): CommandError {
  return new CommandError({ code: 'CONFIG_FILE_UNUSABLE', message, hint });
}

/** The folder that has the file already or is under version control, from here upwards. */
export function projectRoot(folder: string, file: string): string {
  const home = homedir();
  for (let at = folder; at !== home; at = dirname(at)) {
    if (existsSync(join(at, file)) || existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) break;
  }
  return folder;
}

export function findConfigFile(host: Host, scope: Scope, env: NodeJS.ProcessEnv): ConfigFile {
  if (scope === 'user') return open(host.userFile(env));
  const root = projectRoot(process.cwd(), host.projectFile);
  const path = join(root, host.projectFile);
  refuseLinksOutside(root, path);
  return open(path);
}

/** A project may come from others: a link in it must not lead to a file of the user. */
function refuseLinksOutside(root: string, path: string): void {
  const nearest = [path, dirname(path)].find((each) => existsSync(each));
  const outside = nearest === undefined ? undefined : leadsOutside(root, nearest);
  if (outside === undefined) return;
  throw refused(`${nearest} is a link to ${outside}, outside of the project. Nothing was written.`);
}

function open(path: string): ConfigFile {
  const broken = [dirname(path), path].find((each) => isThere(each) && !existsSync(each));
  if (broken !== undefined) throw refused(`${broken} is a link to something that does not exist.`);
  if (!isThere(path)) return { path, real: path, text: undefined };
  const stats = statSync(path);
  if (!stats.isFile()) throw refused(`${path} is not a file.`);
  if (stats.size > MAX_BYTES) throw refused(`${path} is too large to edit.`);
  return { path, real: realpathSync.native(path), text: decode(path) };
}

/** Also a link that leads nowhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function decode(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw refused(`${path} is not UTF-8 text.`, 'Save it as UTF-8, then run the command again.');
  }
}

/** New files in the home folder may hold keys of other servers one day. */
const NEW_MODE: Record<Scope, number> = { project: 0o644, user: 0o600 };

export async function writeConfigFile(
  { real, text }: ConfigFile,
  scope: Scope,
  after: string,
): Promise<void> {
  try {
    if (text !== undefined) return await replaceFile(real, text, after);
    makeFolder(dirname(real), scope === 'user' ? 0o700 : 0o777);
    const mode = NEW_MODE[scope];
    await writeWholeFile(real, after, { mode, beforeReplacing: async () => refuseNew(real) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC'].includes(code ?? ''))
      throw error;
    throw refused(`Could not write ${real} (${code}). Nothing was changed.`);
  }
}

function refuseNew(path: string): void {
  if (!isThere(path)) return;
  throw new CommandError({
    code: 'FILE_CHANGED',
    message: `${path} was created by another program; nothing was written.`,
    hint: 'Run the command again.',
    exit: EXIT.failed,
  });
}
