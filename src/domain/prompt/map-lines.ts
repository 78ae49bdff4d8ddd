// How a prompt shows the map of a repository, and how it is read again: the simulator plans from it.

const MAP_HEADING = '# Map of the repository';
const FILES_HEADING = '## Files, those nearest to the task first';
const IMPORTS = '  imports ';

export interface MapFile {
  path: string;
  imports: readonly string[];
  importers: number;
  /** Indented, below its line. */
  outline: string;
}

export interface MapSections {
  packages: readonly string[];
  files: readonly string[];
  /** Of files and folders; empty when there was no room for it. */
  listing: string;
}

export function mapFileLines({ path, imports, importers, outline }: MapFile): string {
  const uses = imports.length === 0 ? '' : `${IMPORTS}${imports.join(', ')}`;
  const users = importers === 0 ? '' : `imported by ${importers}`;
  const about = uses === '' || users === '' ? uses || (users && `  ${users}`) : `${uses}; ${users}`;
  return [path, about, outline].filter((line) => line !== '').join('\n');
}

export function mapLines({ packages, files, listing }: MapSections): string {
  const isEmpty = packages.length + files.length === 0 && listing === '';
  return [
    MAP_HEADING,
    ...(isEmpty ? ['There are no files yet.'] : []),
    ...(packages.length === 0 ? [] : [`## Package files\n\n${packages.join('\n\n')}`]),
    ...(files.length === 0 ? [] : [`${FILES_HEADING}\n\n${files.join('\n')}`]),
    ...(listing === '' ? [] : [`## Files and folders\n\n${listing}`]),
  ].join('\n\n');
}

function importsIn(line: string): string[] {
  if (!line.startsWith(IMPORTS)) return [];
  const [names = ''] = line.slice(IMPORTS.length).split('; imported by ');
  return names.replace(/ and \d+ more$/, '').split(', ');
}

export function hasMap(prompt: string): boolean {
  return prompt.includes(`\n${MAP_HEADING}\n`);
}

/** The files that a prompt's map has, in its order; none where the prompt has no map. */
export function filesInMap(prompt: string): Pick<MapFile, 'path' | 'imports'>[] {
  const map = prompt.indexOf(`\n${MAP_HEADING}\n`);
  const from = map < 0 ? -1 : prompt.indexOf(`\n${FILES_HEADING}\n`, map);
  if (from < 0) return [];
  const start = from + FILES_HEADING.length + 3;
  const end = prompt.indexOf('\n\n', start);
  const lines = prompt.slice(start, end < 0 ? undefined : end).split('\n');
  return lines.flatMap((path, at) =>
    path === '' || path.startsWith(' ') ? [] : [{ path, imports: importsIn(lines[at + 1] ?? '') }],
  );
}
