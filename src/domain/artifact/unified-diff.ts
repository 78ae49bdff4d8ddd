// Changes written as a diff. The lines of a hunk are taken as they are, its line numbers are not: models
// count badly, and the lines have to be in the file in exactly one place anyway.
import type { TextEdit } from '../../contract/artifact.ts';
import { lineEdit } from './search-replace.ts';
import { newSection, type Section } from './section.ts';

export const NO_NEWLINE = '\\ No newline at end of file';
const HUNK = /^@@(?: |$)/;
const NUMBERED = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;
const EXTENDED =
  /^(?:index |new file mode|deleted file mode|old mode|new mode|similarity index|dissimilarity index)/;

export interface Hunk {
  oldLines: string[];
  newLines: string[];
  /** The marks for a missing line break, at the end of either side. */
  newEndsOpen: boolean;
}

/** The hunks in these lines, or what is wrong with them. */
export function readHunks(lines: readonly string[]): Hunk[] | string {
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  let blank = 0;
  let last = '';
  for (const line of lines) {
    if (HUNK.test(line)) {
      hunk = { oldLines: [], newLines: [], newEndsOpen: false };
      hunks.push(hunk);
      blank = 0;
      continue;
    }
    if (line === '') {
      blank += 1;
      continue;
    }
    const sign = line[0]!;
    if (hunk === undefined) {
      // Without a line of its own, as in the short form.
      hunk = { oldLines: [], newLines: [], newEndsOpen: false };
      hunks.push(hunk);
    }
    // An empty line may have lost the space before it; at the end of a hunk it only sets it off.
    for (; blank > 0; blank--) {
      hunk.oldLines.push('');
      hunk.newLines.push('');
    }
    const text = line.slice(1);
    if (sign === '\\') {
      if (last !== '-') hunk.newEndsOpen = true;
      continue;
    }
    if (sign !== ' ' && sign !== '-' && sign !== '+') {
      return `a line of the diff starts with neither +, - nor a space`;
    }
    if (sign !== '+') hunk.oldLines.push(text);
    if (sign !== '-') hunk.newLines.push(text);
    last = sign;
  }
  return hunks.filter(({ oldLines, newLines }) => oldLines.length + newLines.length > 0);
}

export function editsOf(hunks: readonly Hunk[]): TextEdit[] | string {
  const edits: TextEdit[] = [];
  for (const { oldLines, newLines } of hunks) {
    if (oldLines.every((line) => line.trim() === '')) {
      return 'a hunk has no line of the file to be found by; give some lines around it';
    }
    const oldText = oldLines.join('\n');
    if (oldText === newLines.join('\n')) continue;
    edits.push(
      newLines.length === 0 ? lineEdit(`${oldText}\n`, '') : lineEdit(oldText, newLines.join('\n')),
    );
  }
  return edits.length > 0 ? edits : 'the diff changes nothing';
}

/** Whether these lines are a diff and nothing else. */
export function isDiff(lines: readonly string[], isSaid: boolean): boolean {
  let signs = 0;
  let hunks = 0;
  for (const [i, line] of lines.entries()) {
    if (line === '') continue;
    if (HUNK.test(line)) hunks += 1;
    else if (isFileLine(lines, i)) continue;
    else if (line[0] === '+' || line[0] === '-') signs += 1;
    else if (line[0] !== ' ' && line[0] !== '\\') return false;
  }
  return signs > 0 && (hunks > 0 || isSaid);
}

export function holdsHunk(lines: readonly string[]): boolean {
  return lines.some((line) => NUMBERED.test(line));
}

function isFileLine(lines: readonly string[], i: number): boolean {
  const line = lines[i]!;
  return (
    isFileStart(lines, i) ||
    (line.startsWith('+++ ') && isFileStart(lines, i - 1)) ||
    isExtended(line)
  );
}

function isExtended(line: string): boolean {
  return (
    EXTENDED.test(line) ||
    /^(?:rename|copy) (?:from|to) /.test(line) ||
    line.startsWith('diff --git ')
  );
}

/** A removed line may start with dashes as well, but no `+++` line follows it. */
export function isFileStart(lines: readonly string[], i: number): boolean {
  return lines[i]?.startsWith('--- ') === true && lines[i + 1]?.startsWith('+++ ') === true;
}

/** A whole diff with the names of its files; undefined when it names none. */
export function readDiff(lines: readonly string[]): Section[] | undefined {
  const sections: Section[] = [];
  for (let i = 0; i < lines.length;) {
    const isGit = lines[i]!.startsWith('diff --git ');
    if (!isGit && !isFileStart(lines, i)) {
      if (lines[i]!.trim() !== '') return undefined;
      i += 1;
      continue;
    }
    let end = i + 1;
    while (end < lines.length && !startsFile(lines, end, i)) end += 1;
    sections.push(readFile(lines.slice(i, end)));
    i = end;
  }
  return sections.length > 0 ? sections : undefined;
}

function startsFile(lines: readonly string[], at: number, from: number): boolean {
  if (lines[at]!.startsWith('diff --git ')) return true;
  if (!isFileStart(lines, at)) return false;
  // The names of the file that the git line above has begun with.
  return !(
    lines[from]!.startsWith('diff --git ') &&
    !lines.slice(from, at).some((l) => l.startsWith('--- '))
  );
}

function readFile(lines: readonly string[]): Section {
  const at = lines.findIndex((_, i) => isFileStart(lines, i));
  const git = lines[0]!.startsWith('diff --git ') ? namesOf(lines[0]!) : undefined;
  const [before, after] =
    at < 0 ? (git ?? ['', '']) : [lines[at]!.slice(4), lines[at + 1]!.slice(4)].map(nameOf);
  const isPrefixed = /^"?a\//.test(before!) || /^"?b\//.test(after!);
  const clean = (name: string) =>
    (isPrefixed ? name.replace(/^"?[ab]\//, '') : name).replace(/"$/, '');
  const isNone = (name: string) => name === '/dev/null';
  const head = lines.slice(0, at < 0 ? lines.length : at);
  const path = isNone(after!) ? clean(before!) : clean(after!);
  const broken = (problem: string): Section => ({
    ...newSection('edit', path),
    problem: `"${path}": ${problem}`,
  });
  const moves = head.some((line) => /^(?:rename|copy) (?:from|to) /.test(line));
  if (moves || (!isNone(before!) && !isNone(after!) && clean(before!) !== clean(after!))) {
    return broken('a diff cannot move a file; delete it and create the other one whole');
  }
  if (isNone(after!) || head.some((line) => line.startsWith('deleted file mode'))) {
    return newSection('delete', path);
  }
  const hunks = readHunks(at < 0 ? [] : lines.slice(at + 2));
  if (typeof hunks === 'string') return broken(hunks);
  if (isNone(before!) || head.some((line) => line.startsWith('new file mode'))) {
    if (hunks.some(({ oldLines }) => oldLines.length > 0)) {
      return broken('the diff of a new file has lines of an old one');
    }
    return { ...newSection('create', path), content: contentOf(hunks) };
  }
  const edits = editsOf(hunks);
  if (typeof edits === 'string') return broken(edits);
  return { ...newSection('edit', path), edits };
}

export function contentOf(hunks: readonly Hunk[]): string {
  const lines = hunks.flatMap(({ newLines }) => newLines);
  if (lines.length === 0) return '';
  return lines.join('\n') + (hunks.at(-1)!.newEndsOpen ? '' : '\n');
}

/** Without the time that some tools write behind it. */
function nameOf(raw: string): string {
  const tab = raw.indexOf('\t');
  return (tab < 0 ? raw : raw.slice(0, tab)).trim();
}

function namesOf(line: string): [string, string] | undefined {
  const rest = line.slice('diff --git '.length);
  const at = rest.indexOf(' b/');
  return at < 0 ? undefined : [rest.slice(0, at), rest.slice(at + 1).trim()];
}
