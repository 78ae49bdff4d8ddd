// Commands for the user to type next, so that they can be pasted as they are.
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join, relative, resolve, sep } from 'node:path';
import { suggestCommand } from '../domain/command/suggested-command.ts';
import { checkoutLauncher } from '../platform/launcher.ts';
import type { CommandOptions } from './command.ts';

const INSTALLED = 'millrace';

/** Flags that say where and as whom a command acts. A command that is suggested next acts there, too. */
const PLACE_FLAGS = [
  ['dataDir', '--data-dir'],
  ['databaseUrl', '--database-url'],
  ['url', '--url'],
  ['profile', '--profile'],
  ['team', '--team'],
] as const;
export type PlaceFlag = (typeof PLACE_FLAGS)[number][1];

interface Call {
  folder: string;
  dir: string | undefined;
  place: ReadonlyMap<PlaceFlag, string>;
  isForPrograms: boolean;
}

/** Of the process, like its streams: set once, before `-C` changes the folder. */
let called: Call = { folder: '', dir: undefined, place: new Map(), isForPrograms: false };

function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    // It was removed meanwhile: nothing is relative to it.
    return '';
  }
}

/** What a password is in an address stays out of every text. */
function withoutPassword(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.password === '') return url;
  parsed.password = '***';
  return parsed.href;
}

/** The options of the call as they were given; a program gets the plain name, however it was called. */
export function rememberCall(options: CommandOptions): void {
  const place = new Map<PlaceFlag, string>();
  for (const [name, flag] of PLACE_FLAGS) {
    const value = options[name];
    if (typeof value === 'string' && value !== '') place.set(flag, withoutPassword(value));
  }
  const dir = typeof options['dir'] === 'string' ? options['dir'] : undefined;
  called = { folder: workingFolder(), dir, place, isForPrograms: options['json'] === true };
}

/** Where the user's shell is, whatever `-C` said. */
export function shellFolder(): string {
  return called.folder === '' ? workingFolder() : called.folder;
}

/** The script of a checkout as it is called from a folder: short from inside, else in full. */
export function launcherFrom(folder: string, launcher: string): string {
  const root = dirname(launcher);
  const isInside = folder === root || folder.startsWith(root + sep);
  if (!isInside) return launcher;
  const path = relative(folder, launcher);
  return path.startsWith('..') ? path : `.${sep}${path}`;
}

/** Whether the shell finds this script by its name: nobody has to type where it is. */
export function isFoundInPath(launcher: string, path: string): boolean {
  const found = path
    .split(delimiter)
    .map((folder) => join(folder, INSTALLED))
    .find((file) => existsSync(file));
  try {
    return found !== undefined && realpathSync(found) === realpathSync(launcher);
  } catch {
    return false;
  }
}

function commandName(): string {
  const launcher = checkoutLauncher();
  if (launcher === undefined || called.isForPrograms) return INSTALLED;
  if (isFoundInPath(launcher, process.env['PATH'] ?? '')) return INSTALLED;
  return launcherFrom(shellFolder(), launcher);
}

/** The flags of this call that its successor needs, unless its own words say otherwise. */
function placeFlags(dir: string | undefined, words: readonly string[]): string[] {
  return [...called.place].flatMap(([flag, value]) => {
    if (words.includes(flag)) return [];
    if (flag !== '--data-dir' || (dir !== undefined && dir === called.dir)) return [flag, value];
    // Relative to where this call works.
    return [flag, resolve(shellFolder(), called.dir ?? '', value)];
  });
}

function make(dir: string | undefined, place: readonly string[], words: string[]): string {
  const flags = dir === undefined ? place : ['-C', dir, ...place];
  return suggestCommand({ program: commandName(), flags }, ...words);
}

/** In another folder than the one of this call. */
export function commandIn(dir: string | undefined, ...words: string[]): string {
  return make(dir, placeFlags(dir, words), words);
}

/** In the folder that this call is about. */
export function commandLine(...words: string[]): string {
  return commandIn(called.dir, ...words);
}

/** Where a flag of this call is what is wrong with it. */
export function commandWithout(flag: PlaceFlag, ...words: string[]): string {
  return make(called.dir, placeFlags(called.dir, [...words, flag]), words);
}

/** What a later command needs to act where this one does, from any folder. */
export function placeWords(): string[] {
  return placeFlags(undefined, []);
}
