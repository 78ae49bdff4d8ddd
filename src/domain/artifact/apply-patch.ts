// The form between `*** Begin Patch` and `*** End Patch`.
import { cleanPath } from './header-line.ts';
import { newSection, type Section } from './section.ts';
import { contentOf, editsOf, readHunks } from './unified-diff.ts';

const FILE = /^\*\*\* ?(Add|Update|Delete) File: /;
const BEGIN = /^\*\*\* ?Begin Patch(?: ?\*\*\*)?$/;
const END = /^\*\*\* ?End Patch/;
const COMMANDS = ['apply_patch', 'cat'];

/** As a command of a shell, the patch comes up to a word: `apply_patch <<'EOF'`. */
function wordOfCommand(line: string): string | undefined {
  const text = line.trim();
  const at = text.indexOf('<<');
  if (at < 0 || !COMMANDS.some((name) => text.startsWith(name))) return undefined;
  const word = text.slice(at + 2).replaceAll(/['" ]/g, '');
  return /^[\w-]+$/.test(word) ? word : undefined;
}

export const beginsPatch = (line: string): boolean => BEGIN.test(line.trim());
export const endsPatch = (line: string): boolean => END.test(line);

export function isPatch(lines: readonly string[]): boolean {
  return lines.some((line) => beginsPatch(line) || FILE.test(line));
}

/** Undefined when there is no file in it, or something that is no part of a patch. */
export function readPatch(lines: readonly string[]): Section[] | undefined {
  const sections: Section[] = [];
  let body: string[] = [];
  let open: { word: string; path: string; moves: boolean } | undefined;
  let delimiter: string | undefined;
  const finish = (): void => {
    if (open !== undefined) sections.push(readFile(open, body));
    open = undefined;
    body = [];
  };
  for (const line of lines) {
    const word = FILE.exec(line)?.[1];
    if (word !== undefined) {
      finish();
      open = { word, path: cleanPath(line.slice(line.indexOf(':') + 1)).path, moves: false };
    } else if (endsPatch(line)) finish();
    else if (open !== undefined && line.startsWith('*** Move to:')) open.moves = true;
    else if (open !== undefined && line.startsWith('*** End of File')) continue;
    else if (open !== undefined) body.push(line);
    else if (wordOfCommand(line) !== undefined) delimiter = wordOfCommand(line);
    else if (line.trim() !== '' && !beginsPatch(line) && line.trim() !== delimiter)
      return undefined;
  }
  finish();
  return sections.length > 0 ? sections : undefined;
}

function readFile(open: { word: string; path: string; moves: boolean }, body: string[]): Section {
  const { word, path, moves } = open;
  const broken = (problem: string): Section => ({
    ...newSection('edit', path),
    problem: `"${path}": ${problem}`,
  });
  // A line break was lost: the marker would be written into the file.
  if (body.some((line) => line.includes('*** End Patch'))) {
    return broken('a line runs into the end of the patch');
  }
  if (moves) return broken('a patch cannot move a file; delete it and create the other one whole');
  if (word === 'Delete') {
    return body.every((line) => line.trim() === '')
      ? newSection('delete', path)
      : broken('it is deleted, but has lines');
  }
  const hunks = readHunks(body);
  if (typeof hunks === 'string') return broken(hunks);
  if (word === 'Add') {
    if (hunks.some(({ oldLines }) => oldLines.some((line) => line !== ''))) {
      return broken('every line of a new file starts with +');
    }
    return { ...newSection('create', path), content: contentOf(hunks) };
  }
  const edits = editsOf(hunks);
  return typeof edits === 'string' ? broken(edits) : { ...newSection('edit', path), edits };
}
