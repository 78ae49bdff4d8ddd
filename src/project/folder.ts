// What one folder of the project holds, kept between two snapshots: as long as its entries and the rules
// that apply to it are the same, nothing has to be asked again about any of its files.
import { lstatSync, readdirSync } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { checkPath } from '../domain/artifact/check-path.ts';
import { isIgnored, readIgnoreFile } from './ignore-file.ts';
import type { IgnoreFile, Rules } from './ignore-file.ts';
import { SKIPPED_FOLDERS } from './never-shown.ts';
import { isUnchanged, stampOf } from '../platform/file-stamp.ts';
import type { Stamp } from '../platform/file-stamp.ts';

type Kind = 'file' | 'folder' | 'link' | 'other';

export interface Folder {
  /** Of the folder itself, where its times tell that something in it came or went. */
  stamp: Stamp | undefined;
  /** Everything in it, also what is ignored. */
  entries: ReadonlyMap<string, Kind>;
  inherited: readonly Rules[];
  ignoreFile: IgnoreFile | undefined;
  /** Those that apply to what is in it. */
  rules: readonly Rules[];
  /** Paths of its files and, with a slash at the end, of its folders that belong to the project. */
  files: readonly string[];
  below: readonly string[];
  /** Paths of its symbolic links, which nobody follows. */
  links: readonly string[];
  hasPackages: boolean;
}

function kindOf(entry: Dirent): Kind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

function isSame(known: Folder['entries'], entries: readonly Dirent[]): boolean {
  if (known.size !== entries.length) return false;
  // They come in the same order as long as nothing changes, as a rule.
  let at = 0;
  for (const [name, kind] of known) {
    const entry = entries[at++]!;
    if (entry.name !== name || kindOf(entry) !== kind) return false;
  }
  return true;
}

/** Of the folder itself; none when it must be read whatever its times say. */
function timesOf(path: string, device: number | undefined): Stats | undefined {
  if (device === undefined) return undefined;
  const about = lstatSync(path, { throwIfNoEntry: false });
  return about?.dev === device ? about : undefined;
}

/** The same entries as before when nothing changed. */
function readEntries(path: string, device: number | undefined, known: Folder | undefined) {
  try {
    const lookedAt = Date.now();
    const about = timesOf(path, device);
    if (about && known?.stamp && isUnchanged(known.stamp, about)) {
      return { entries: known.entries, stamp: known.stamp };
    }
    const found = readdirSync(path, { withFileTypes: true });
    const stamp = about && stampOf(about, lookedAt);
    if (known && isSame(known.entries, found)) return { entries: known.entries, stamp };
    return { entries: new Map(found.map((entry) => [entry.name, kindOf(entry)])), stamp };
  } catch {
    // Gone in the meantime, or not for us to read: it has nothing to show.
    return { entries: NO_ENTRIES, stamp: undefined };
  }
}

const NO_ENTRIES: Folder['entries'] = new Map();

/** The same object as before when nothing changed. */
export function readFolder(
  { root, device }: { root: string; device: number | undefined },
  folder: string,
  inherited: readonly Rules[],
  known: Folder | undefined,
): Folder {
  const { entries, stamp } = readEntries(`${root}/${folder}`, device, known);
  const ignoreFile =
    entries.get('.gitignore') === 'file'
      ? readIgnoreFile(root, folder, known?.ignoreFile)
      : undefined;
  const hasSameRules = known?.inherited === inherited && known.ignoreFile === ignoreFile;
  if (hasSameRules && known.entries === entries) {
    known.stamp = stamp;
    return known;
  }
  const rules = hasSameRules
    ? known.rules
    : ignoreFile === undefined
      ? inherited
      : [...inherited, ignoreFile.own];
  const files: string[] = [];
  const below: string[] = [];
  for (const [name, kind] of entries) {
    const path = folder + name;
    if (kind === 'folder') {
      if (!SKIPPED_FOLDERS.has(name) && !isIgnored(rules, `${path}/`)) below.push(`${path}/`);
    } else if (kind === 'file' && checkPath(path) === undefined && !isIgnored(rules, path)) {
      files.push(path);
    }
  }
  const links = [...entries].flatMap(([name, kind]) => (kind === 'link' ? [folder + name] : []));
  const hasPackages = entries.has('node_modules');
  return { stamp, entries, inherited, ignoreFile, rules, files, below, links, hasPackages };
}
