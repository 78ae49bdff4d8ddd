// Commands for the user to type next, so that they can be pasted as they are.
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const INSTALLED = 'millrace';
/** Sources run in a checkout only, where the command is a script at the root of it. */
const IS_CHECKOUT = import.meta.url.endsWith('.ts');

/** Of the process, like its streams: set once, before `-C` changes the folder. */
const called = { folder: '', dir: undefined as string | undefined, isForPrograms: false };

function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    // It was removed meanwhile: nothing is relative to it.
    return '';
  }
}

/** `dir` is the folder that `-C` names; a program gets the plain name, however it was called. */
export function rememberCall(dir: string | undefined, isForPrograms: boolean): void {
  Object.assign(called, { folder: workingFolder(), dir, isForPrograms });
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

/** The script of the checkout that this runs from, if it is one. */
export function checkoutLauncher(): string | undefined {
  return IS_CHECKOUT ? fileURLToPath(new URL('../../millrace', import.meta.url)) : undefined;
}

function commandName(): string {
  const launcher = checkoutLauncher();
  if (launcher === undefined || called.isForPrograms) return INSTALLED;
  if (isFoundInPath(launcher, process.env['PATH'] ?? '')) return INSTALLED;
  return launcherFrom(shellFolder(), launcher);
}

/** One word for a shell, whatever is in it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** In another folder than the one of this call. */
export function commandIn(dir: string | undefined, ...words: string[]): string {
  const folder = dir === undefined ? [] : ['-C', dir];
  const line = [commandName(), ...folder, ...words].map(shellWord).join(' ');
  // Names of files and streams are made by others: nothing in them is for the terminal.
  return line.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
}

/** In the folder that this call is about. */
export function commandLine(...words: string[]): string {
  return commandIn(called.isForPrograms ? undefined : called.dir, ...words);
}
