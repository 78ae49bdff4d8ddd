// What the text in a fence is: a whole file, or changes of one in some notation. Decided by its shape,
// because a file may well be about diffs or conflicts itself.
import type { TextEdit } from '../../contract/artifact.ts';
import { isPatch, readPatch } from './apply-patch.ts';
import { DIFFS } from './elision.ts';
import { endOfLine } from './fences.ts';
import { lineEdit, readMarker, readSearchReplace } from './search-replace.ts';
import { editsOf, holdsHunk, isDiff, readDiff, readHunks } from './unified-diff.ts';

export type BodyText =
  | { kind: 'whole' }
  | { kind: 'edits'; edits: TextEdit[]; /** A path on the first marker line. */ path?: string }
  | { kind: 'problem'; problem: string };

export const DOCUMENTS = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;
const whole: BodyText = { kind: 'whole' };

export function readBodyText(body: string, path: string, info: string): BodyText {
  if (DIFFS.test(path)) return whole;
  const isDocument = DOCUMENTS.test(path);
  const marked = readMarked(body);
  if (marked.kind === 'edits') return marked;
  if (marked.kind === 'problem') return isDocument ? whole : marked;
  if (!/^(?:@@|[+*-]{3} |[+-])/m.test(body)) return whole;
  const lines = body.replace(/\n$/, '').split('\n');
  const isSaid = /^(?:diff|patch|udiff)\b/i.test(info);
  if (isPatch(lines)) return patched(lines, path) ?? (isDocument ? whole : mixed);
  if (isDiff(lines, isSaid)) return diffed(lines, path);
  if (isSaid || (holdsHunk(lines) && !isDocument)) return mixed;
  return whole;
}

const mixed: BodyText = {
  kind: 'problem',
  problem: 'the text is partly a diff; give SEARCH blocks or the whole file',
};

function patched(lines: readonly string[], path: string): BodyText | undefined {
  const sections = readPatch(lines);
  if (sections === undefined) return undefined;
  return only(sections, path);
}

function only(
  sections: readonly { path: string; edits: TextEdit[]; problem?: string }[],
  path: string,
): BodyText {
  const [section] = sections;
  if (section === undefined || sections.length > 1 || section.path !== path) {
    return { kind: 'problem', problem: 'the diff below it names another file' };
  }
  if (section.problem !== undefined) return { kind: 'problem', problem: section.problem };
  if (section.edits.length === 0) return mixed;
  return { kind: 'edits', edits: section.edits };
}

function diffed(lines: readonly string[], path: string): BodyText {
  const named = readDiff(lines);
  if (named !== undefined) return only(named, path);
  const hunks = readHunks(lines);
  const edits = typeof hunks === 'string' ? hunks : editsOf(hunks);
  return typeof edits === 'string' ? { kind: 'problem', problem: edits } : { kind: 'edits', edits };
}

/** SEARCH/REPLACE blocks with nothing else around them. */
export function readMarked(body: string): BodyText {
  const edits: TextEdit[] = [];
  let path: string | undefined;
  let hasOther = false;
  let isBroken = false;
  for (let start = 0; start < body.length;) {
    const end = endOfLine(body, start);
    const line = body.slice(start, Math.min(end, start + 1100));
    const marker = readMarker(line);
    if (marker?.role === 'old') {
      const read = readSearchReplace(body, end + 1, marker);
      if (read.kind === 'broken') isBroken = true;
      else {
        edits.push(lineEdit(read.oldText, read.newText, marker.all));
        if (marker.rest !== '') path ??= marker.rest;
      }
      start = Math.max(read.next, end + 1);
      if (read.kind === 'broken' && read.next === body.length) break;
      continue;
    }
    if (line.trim() !== '') hasOther = true;
    start = end + 1;
  }
  // A marker alone is a line like any other.
  const isHalf = isBroken && /^={5,}[ \t\r]*$/m.test(body);
  if (edits.length === 0 && !isHalf) return whole;
  if (isBroken || hasOther) {
    const problem = isBroken
      ? 'a SEARCH block in its text is not complete'
      : 'its text has SEARCH blocks and other lines; give the blocks alone';
    return { kind: 'problem', problem };
  }
  return { kind: 'edits', edits, ...(path === undefined ? {} : { path }) };
}
