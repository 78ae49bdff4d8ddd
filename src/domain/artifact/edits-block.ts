import type { Operation, TextEdit } from '../../contract/artifact.ts';
import { endOfLine, trimBlanks, type Fences } from './fences.ts';
import { quote } from './problems.ts';
import { readMarker, readSearchReplace } from './search-replace.ts';

// The plain-text form of an artifact (docs/artifact-format.md). It is read by its own grammar from
// the opening fence on, not cut out by the fences first: so the block may be fenced with as few
// backticks as the files inside it, the mistake that models make most.

export interface EditsBlock {
  status?: string;
  summary?: string;
  operations: Operation[];
  problems: string[];
  /** Files that the block asks to see. */
  reads: string[];
  /** Files that problems are about. */
  unclear: string[];
  /** Where to go on reading the text around the block. */
  next: number;
}

interface Section {
  type: 'create' | 'edit' | 'delete';
  path: string;
  baseSha256?: string;
  content?: string;
  edits: TextEdit[];
}

export const NO_NEWLINE = '\\ No newline at end of file';
const HEADER = /^(create|edit|delete|read|status|summary|basesha256):([^\n]*)$/i;

export function readEditsBlock(text: string, fences: Fences, opener: number): EditsBlock {
  const openerEnd = endOfLine(text, fences.startOf(opener));
  const block: EditsBlock = {
    operations: [],
    problems: [],
    reads: [],
    unclear: [],
    next: openerEnd + 1,
  };
  // A block whose fence ends in CRLF went through a program that did this to every line of it.
  const crlf = text.charAt(openerEnd - 1) === '\r';
  const exact = (body: string): string => (crlf ? body.replaceAll('\r\n', '\n') : body);
  let section: Section | undefined;
  let afterBody = false;

  const finishSection = (): void => {
    if (section !== undefined) finish(section, block);
    section = undefined;
  };
  const stop = (problem: string, next: number): EditsBlock => {
    if (section !== undefined) block.unclear.push(section.path);
    finishSection();
    block.problems.push(problem);
    block.next = next;
    return block;
  };

  while (block.next < text.length) {
    const start = block.next;
    const end = endOfLine(text, start);
    const line = trimBlanks(text.slice(start, end));
    block.next = end + 1;
    if (line === '') continue;
    if (line === NO_NEWLINE && afterBody && section?.content !== undefined) {
      section.content = section.content.slice(0, -1);
      afterBody = false;
      continue;
    }
    afterBody = false;

    const fence = fences.firstFrom(start);
    if (fences.startOf(fence) === start && fence < fences.count) {
      if (wantsBody(section)) {
        const closer = fences.closerOf(fence);
        if (closer < 0) return stop(`the text of ${quote(section.path)} is never closed`, end + 1);
        section.content = exact(text.slice(end + 1, fences.startOf(closer)));
        block.next = endOfLine(text, fences.startOf(closer)) + 1;
        afterBody = section.content !== '';
        continue;
      }
      if (closes(fences, opener, fence)) {
        finishSection();
        return block;
      }
    }

    const marker = section?.type === 'edit' ? readMarker(text.slice(start, end)) : undefined;
    if (section !== undefined && marker?.character === '<') {
      const read = readSearchReplace(text, end + 1, marker.length);
      if (read.kind === 'broken') return stop(`${quote(section.path)}: ${read.problem}`, read.next);
      const edit = { oldText: exact(read.oldText), newText: exact(read.newText) };
      const all = marker.word === 'SEARCH ALL';
      section.edits.push(crlf ? withoutLastCr(edit, all) : withAll(edit, all));
      block.next = read.next;
      continue;
    }

    const header = HEADER.exec(line);
    if (header === null) return stop(`the line ${quote(line)} is not understood`, end + 1);
    const word = (header[1] ?? '').toLowerCase();
    const value = trimBlanks(header[2] ?? '');
    if (word === 'create' || word === 'edit' || word === 'delete') {
      finishSection();
      section = { type: word, path: unquote(value), edits: [] };
    } else if (word === 'read') {
      finishSection();
      block.reads.push(unquote(value));
    } else if (word === 'basesha256') {
      if (section === undefined || section.type === 'create') {
        return stop('baseSha256 belongs below an edit or delete line', end + 1);
      }
      section.baseSha256 = value.toLowerCase();
    } else {
      if (section !== undefined || block.operations.length > 0) {
        return stop(`${word} belongs above the first file`, end + 1);
      }
      block[word === 'status' ? 'status' : 'summary'] = value;
    }
  }
  return stop('the millrace-edits block is never closed; was the answer cut off?', text.length);
}

function wantsBody(section: Section | undefined): section is Section {
  if (section === undefined || section.content !== undefined) return false;
  return section.type === 'create' || (section.type === 'edit' && section.edits.length === 0);
}

function closes(fences: Fences, opener: number, fence: number): boolean {
  return (
    fences.isBare(fence) &&
    fences.markerOf(fence) === fences.markerOf(opener) &&
    fences.lengthOf(fence) >= fences.lengthOf(opener)
  );
}

function finish(section: Section, block: EditsBlock): void {
  const { type, path, content, edits } = section;
  const problem = (text: string): void => {
    block.problems.push(text);
    block.unclear.push(path);
  };
  const base = section.baseSha256 === undefined ? {} : { baseSha256: section.baseSha256 };
  if (type === 'delete') {
    block.operations.push({ type, path, ...base });
  } else if (content !== undefined && edits.length > 0) {
    problem(`${quote(path)} has a whole text and SEARCH blocks; give one of them`);
  } else if (type === 'create') {
    if (content === undefined) problem(`create ${quote(path)} has no fenced text`);
    else block.operations.push({ type, path, content });
  } else if (content !== undefined) {
    block.operations.push({ type, path, content, ...base });
  } else if (edits.length > 0) {
    block.operations.push({ type, path, edits, ...base });
  } else {
    problem(`edit ${quote(path)} has neither a SEARCH block nor a fenced text`);
  }
}

function withAll(edit: { oldText: string; newText: string }, all: boolean): TextEdit {
  return all ? { ...edit, replaceAll: true } : edit;
}

// The line break that belongs to the next marker was CRLF as well.
function withoutLastCr(edit: { oldText: string; newText: string }, all: boolean): TextEdit {
  const cut = (part: string): string => (part.endsWith('\r') ? part.slice(0, -1) : part);
  return withAll({ oldText: cut(edit.oldText), newText: cut(edit.newText) }, all);
}

function unquote(value: string): string {
  const quoted = value.length > 2 && value.startsWith('`') && value.endsWith('`');
  return quoted ? value.slice(1, -1) : value;
}
