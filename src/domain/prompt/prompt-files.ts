// Files as a prompt shows them.
import type { ContextFile, OmittedFile, StreamContext } from '../run/context-files.ts';
import { quoted, quotedFile } from './prompt-text.ts';

const MAX_OMITTED = 50;
const LABELS: Record<string, string> = { mjs: 'js', cjs: 'js', mts: 'ts', cts: 'ts', yml: 'yaml' };

function labelOf(path: string): string {
  const ending = /\.([A-Za-z0-9]{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? 'text';
  return LABELS[ending] ?? ending;
}

const EXTENT = { full: '', outline: ' outline', head: ' beginning' } as const;

/** The line `File: ...` and the fence below it are what readers of a prompt go by: keep the form. */
export function showFile(file: Pick<ContextFile, 'path' | 'text' | 'included'>): string {
  const info = `${labelOf(file.path)}${EXTENT[file.included]}`;
  const text = file.included === 'full' ? quotedFile(file.text, info) : quoted(file.text, info);
  return `File: ${file.path}\n${text}`;
}

export function showFiles(files: readonly ContextFile[]): string {
  return files.map(showFile).join('\n\n');
}

export function isShared(file: ContextFile, sharedPaths: ReadonlySet<string>): boolean {
  return file.included === 'full' && file.role !== 'owned' && sharedPaths.has(file.path);
}

/** The same text for every stream that is shown the same files: why they are shown is left out. */
export function projectContextOf(
  files: readonly ContextFile[],
  sharedPaths: ReadonlySet<string>,
): string {
  if (files.length === 0) return '';
  const places = new Map(Array.from(sharedPaths, (path, at) => [path, at]));
  const placeOf = ({ path }: ContextFile) => places.get(path) ?? 0;
  const sorted = [...files].sort((a, b) => placeOf(a) - placeOf(b));
  return `# Files of the project\n\n${showFiles(sorted)}`;
}

function showOmitted(omitted: readonly OmittedFile[]): string[] {
  if (omitted.length === 0) return [];
  const lines = omitted.slice(0, MAX_OMITTED).map(({ path, reason }) => `- ${path}: ${reason}`);
  const left = omitted.length - lines.length;
  if (left > 0) lines.push(`- and ${left} more`);
  return [`These files exist but are not shown:\n${lines.join('\n')}`];
}

function section(title: string, files: readonly ContextFile[]): string[] {
  return files.length === 0 ? [] : [`${title}\n\n${showFiles(files)}`];
}

function showListing(listing: string | undefined): string[] {
  if (listing === undefined) return [];
  return [`The project has these files:\n${quoted(listing, 'text')}`];
}

export function streamContextOf({ files, omitted, listing }: Omit<StreamContext, 'tokens'>) {
  const owned = files.filter(({ role }) => role === 'owned');
  const others = files.filter(({ role }) => role !== 'owned');
  return [
    ...section('# Files of this task', owned),
    ...section('# Files to read for this task', others),
    ...showListing(listing),
    ...showOmitted(omitted),
  ].join('\n\n');
}
