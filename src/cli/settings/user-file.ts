// Changes one setting in the user's settings file. Comments and everything else in it stay.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeWholeFile } from '../../platform/whole-file.ts';
import { checkUserFile, userFolder } from './settings-files.ts';
import { makeFolder, withFolder } from '../../platform/make-folder.ts';

export const USER_SETTINGS = [
  'url',
  'team',
  'model',
  'apply',
  'profile',
  'workspace',
  'sandboxCommands',
] as const;

/** The lines of a setting at the top of the file: its own, and those below it that are indented. */
function spanOf(lines: readonly string[], name: string): [from: number, to: number] | undefined {
  const from = lines.findIndex((line) => new RegExp(`^["']?${name}["']?\\s*:`).test(line));
  if (from === -1) return undefined;
  let to = from + 1;
  while (to < lines.length && /^\s+\S/.test(lines[to]!)) to += 1;
  return [from, to];
}

export function withSetting(source: string, name: string, value: string | undefined): string {
  const lines = source === '' ? [] : source.replace(/\n$/, '').split('\n');
  const written = name === 'sandboxCommands' ? value : JSON.stringify(value);
  const line = value === undefined ? [] : [`${name}: ${written}`];
  const span = spanOf(lines, name);
  if (span) lines.splice(span[0], span[1] - span[0], ...line);
  else lines.push(...line);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** Undefined removes the setting. Returns the file. Throws when the result would not be valid. */
export async function changeUserFile(
  env: NodeJS.ProcessEnv,
  name: (typeof USER_SETTINGS)[number],
  value: string | undefined,
): Promise<string> {
  const folder = userFolder(env);
  const path = join(folder, 'config.yaml');
  const stats = statSync(path, { throwIfNoEntry: false });
  const before = stats === undefined ? '' : readFileSync(path, 'utf8');
  if (before !== '') checkUserFile(path, before);
  const after = withSetting(before, name, value);
  checkUserFile(path, after);
  if (after === before) return path;
  withFolder({ path: folder, setting: 'XDG_CONFIG_HOME' }, () => makeFolder(folder, 0o700));
  await writeWholeFile(path, after, { mode: stats === undefined ? 0o600 : stats.mode & 0o7777 });
  return path;
}
