import { addAll } from './add-all.ts';
import { isPatch, readPatch } from './apply-patch.ts';
import { closesBlock, findBodyEnd, nextFilled, type BodyPosition } from './body-end.ts';
import { DOCUMENTS, readBodyText, readMarked } from './body-text.ts';
import { endOfLine, trimBlanks, type Fences } from './fences.ts';
import { isPathLike, pathLine, readHeader, type Header } from './header-line.ts';
import { quote } from './problems.ts';
import { lineEdit, readMarker, readSearchReplace, type Marker } from './search-replace.ts';
import { UNLESS, newSection, type Section } from './section.ts';
import { NO_NEWLINE, editsOf, isDiff, readHunks } from './unified-diff.ts';

// The plain-text form of an artifact (docs/artifact-format.md). It is read by its own grammar from
// the opening fence on, not cut out by the fences first: so the block may be fenced with as few
// backticks as the files inside it, the mistake that models make most. Remarks between the files are
// passed over; whatever could be a part of a file and is not understood is a problem.

export { NO_NEWLINE } from './unified-diff.ts';

export interface EditsBlock {
  status?: string;
  summary?: string;
  sections: Section[];
  problems: string[];
  /** Files that the block asks to see. */
  reads: string[];
  /** Where to go on reading the text around the block. */
  next: number;
}

const LABEL = /^(?:millrace-edits|millrace-artifact|service-artifact)\b/i;

/** `opener`: the fence of the block. */
export function readEditsBlock(text: string, fences: Fences, opener: number): EditsBlock {
  return createReader(text, fences, opener, endOfLine(text, fences.startOf(opener)) + 1).read();
}

/** The same grammar without a fence around it. */
export function readBareEdits(text: string, fences: Fences, from: number): EditsBlock {
  return createReader(text, fences, -1, from).read();
}

function createReader(text: string, fences: Fences, opener: number, from: number) {
  const block: EditsBlock = { sections: [], problems: [], reads: [], next: from };
  // A block whose fence ends in CRLF went through a program that did this to every line of it.
  const crlf = opener >= 0 && text.charAt(from - 2) === '\r';
  const exact = (body: string): string => (crlf ? body.replaceAll('\r\n', '\n') : body);
  const isLabel = (fence: number): boolean => LABEL.test(fences.infoOf(fence) ?? '');
  let section: Section | undefined;
  /** Between the files: a path in a remark, which what follows may be about. */
  let mentioned: string | undefined;
  let inSummary = false;
  let remark: string | undefined;
  let afterBody = false;
  let isOver = false;

  const fail = (problem: string): void => {
    if (section === undefined) block.problems.push(problem);
    else section.problem ??= problem;
  };
  /** The rest cannot be understood, so it is not known what else belongs to the last file. */
  const stop = (problem: string, next: number): void => {
    fail(problem);
    block.next = next;
    isOver = true;
  };
  const open = (next: Section): void => {
    section = next;
    mentioned = undefined;
    block.sections.push(next);
  };

  function readFence(fence: number, end: number): void {
    const isDocument = section !== undefined && DOCUMENTS.test(section.path);
    const place: BodyPosition = { text, fences, block: opener, body: fence, isDocument, isLabel };
    const isEnd = closesBlock(place, fence);
    if (isEnd && fences.closerOf(fence) < 0 && nextFilled(text, end + 1) >= text.length) {
      closeBlock(end);
      return;
    }
    if (section === undefined || !wantsBody(section)) {
      const isMarked = readMarker(lineAt(text, nextFilled(text, end + 1)))?.role === 'old';
      if (isEnd && !(isMarked && section !== undefined)) {
        closeBlock(end);
        return;
      }
      if (!isMarked && passOver(place, fence, end)) return;
    }
    if (isLabel(fence)) {
      stop(
        'the millrace-edits block is never closed; was the answer cut off?',
        fences.startOf(fence),
      );
      return;
    }
    const closer = findBodyEnd(place);
    if (closer === undefined || closer === null) {
      const name = quote(section?.path ?? '');
      const problem =
        closer === undefined
          ? `the text of ${name} is never closed`
          : `it is unclear where the text of ${name} ends; use a longer fence around it`;
      stop(problem, end + 1);
      return;
    }
    const body = exact(text.slice(end + 1, fences.startOf(closer)));
    block.next = endOfLine(text, fences.startOf(closer)) + 1;
    takeBody(body, fences.infoOf(fence) ?? '');
  }

  /** A block that is closed and continues all the same, with the next file, was not meant to end. */
  function closeBlock(end: number): void {
    const start = nextFilled(text, end + 1);
    const header = readHeader(lineAt(text, start));
    const after = nextFilled(text, endOfLine(text, start) + 1);
    const fence = fences.firstFrom(after);
    const isBody = fence < fences.count && fences.startOf(fence) === after && !isLabel(fence);
    const isMarked = readMarker(lineAt(text, after))?.role === 'old';
    const names = header?.word === 'create' || header?.word === 'edit';
    if (names && isPathLike(header.value) && (isBody || isMarked)) return;
    block.next = end + 1;
    isOver = true;
  }

  /** A fence where none is needed. */
  function passOver(place: BodyPosition, fence: number, end: number): boolean {
    if (opener < 0) {
      // An example among the remarks.
      const closer = fences.closerOf(fence);
      const body = closer < 0 ? '' : text.slice(end + 1, fences.startOf(closer));
      const isChange = readMarked(body).kind !== 'whole' || isDiff(body.split('\n'), false);
      if (isChange && (mentioned ?? section?.path) !== section?.path) {
        fail(
          `it is not clear whether a change is for ${quote(section?.path)} or ${quote(mentioned)}`,
        );
      }
      if (isChange) return false;
      block.next = closer < 0 ? text.length : endOfLine(text, fences.startOf(closer)) + 1;
      return true;
    }
    // The block, closed with too few characters; or a fence that closes nothing.
    if (!fences.isBare(fence) || section === undefined) return false;
    if (fences.closerOf(fence) >= 0 && !closesBlock(place, fences.closerOf(fence))) return false;
    const next = lineAt(text, nextFilled(text, end + 1));
    if (readHeader(next) === undefined && fences.closerOf(fence) < 0) isOver = true;
    return true;
  }

  function takeBody(body: string, info: string): void {
    if (section === undefined) {
      fail('a fenced text belongs to no file; write create: or edit: above it');
      return;
    }
    if (mentioned !== undefined && mentioned !== section.path) {
      fail(`it is not clear whether a text is for ${quote(section.path)} or ${quote(mentioned)}`);
      return;
    }
    const isVerbatim = /(?:^|\s)whole$/i.test(info);
    const read = isVerbatim ? { kind: 'whole' as const } : readBodyText(body, section.path, info);
    if (isVerbatim) section.isVerbatim = true;
    if (read.kind === 'problem') fail(`${quote(section.path)}: ${read.problem}${UNLESS}`);
    else if (read.kind === 'edits') addAll(section.edits, read.edits);
    else if (section.content !== undefined && section.content !== body) {
      fail(`${quote(section.path)} has two whole texts; give one of them`);
    } else {
      section.content = body;
      afterBody = body !== '';
    }
  }

  function readMarkers(marker: Marker, end: number): void {
    if (marker.rest !== '' && isPathLike(marker.rest) && marker.rest !== section?.path) {
      open(newSection('edit', marker.rest));
    }
    if (section === undefined) {
      stop('a SEARCH block belongs to no file; write edit: above it', end + 1);
      return;
    }
    if (mentioned !== undefined && mentioned !== section.path) {
      fail(
        `it is not clear whether a SEARCH block is for ${quote(section.path)} or ${quote(mentioned)}`,
      );
    }
    const read = readSearchReplace(text, end + 1, marker);
    if (read.kind === 'broken') {
      stop(`${quote(section.path)}: ${read.problem}`, read.next);
      return;
    }
    // The line break that belongs to the next marker was CRLF as well.
    const part = (raw: string) =>
      crlf && raw.endsWith('\r') ? exact(raw.slice(0, -1)) : exact(raw);
    section.edits.push(lineEdit(part(read.oldText), part(read.newText), marker.all));
    block.next = read.next;
  }

  function takeHeader(header: Header): void {
    const { word, value } = header;
    inSummary = word === 'summary';
    switch (word) {
      case 'create':
      case 'edit':
      case 'delete':
        open(newSection(word, value));
        break;
      case 'move':
        open({
          ...newSection('edit', value),
          problem: `${quote(value)}: a file cannot be moved; delete it and create the other one whole`,
        });
        break;
      case 'read':
        section = undefined;
        block.reads.push(value);
        break;
      case 'basesha256':
        if (section === undefined || section.type === 'create') {
          fail('baseSha256 belongs below an edit or delete line');
        } else section.baseSha256 = value.toLowerCase();
        break;
      case 'status':
        block.status = value;
        break;
      case 'summary':
        block.summary = value;
        break;
    }
  }

  /** Lines of a diff without a fence around them. */
  function takeDiff(start: number): void {
    const lines: string[] = [];
    let at = start;
    for (let end; at < text.length; at = end + 1) {
      end = endOfLine(text, at);
      const line = exact(text.slice(at, end));
      const isPart =
        line === '' || '+- @\\*'.includes(line.charAt(0)) || line.startsWith('diff --git');
      const fence = fences.firstFrom(at);
      const isFence = fence < fences.count && fences.startOf(fence) === at;
      if (!isPart || isFence) break;
      lines.push(line);
      if (line.startsWith('*** End Patch')) {
        at = end + 1;
        break;
      }
    }
    block.next = at;
    if (isPatch(lines)) {
      const sections = readPatch(lines);
      if (sections === undefined) fail('the patch is not understood');
      for (const each of sections ?? []) open(each);
      return;
    }
    if (section === undefined) {
      fail('a diff belongs to no file; write edit: above it');
      return;
    }
    const hunks = readHunks(lines);
    const edits = typeof hunks === 'string' ? hunks : editsOf(hunks);
    if (typeof edits === 'string') fail(`${quote(section.path)}: ${edits}`);
    else addAll(section.edits, edits);
  }

  function takeRemark(line: string): void {
    remark ??= line;
    if (inSummary && section === undefined) block.summary = `${block.summary} ${line}`;
    const named = pathLine(line);
    // A path alone above its changes.
    if (named !== undefined && !wantsBody(section)) {
      const next = nextFilled(text, block.next);
      const isMarked = readMarker(lineAt(text, next))?.role === 'old';
      if (isMarked) {
        open(newSection('edit', named.path));
        return;
      }
    }
    for (const word of line.slice(0, 1000).split(/[\s`'"(),;:*]/)) {
      const path = word.replace(/\.$/, '');
      if (path.includes('/') || path.includes('.')) {
        if (isPathLike(path) && path !== section?.path) mentioned ??= path;
      }
    }
  }

  function step(): void {
    const start = block.next;
    const end = endOfLine(text, start);
    const raw = text.slice(start, end);
    const line = trimBlanks(raw);
    block.next = end + 1;
    if (line === '') {
      inSummary = false;
      return;
    }
    const isOpenEnd = line === NO_NEWLINE && afterBody;
    afterBody = false;
    if (isOpenEnd && section?.content !== undefined) {
      section.content = section.content.slice(0, -1);
      return;
    }
    const fence = fences.firstFrom(start);
    if (
      fence < fences.count &&
      fences.startOf(fence) === start &&
      fences.infoOf(fence) !== undefined
    ) {
      readFence(fence, end);
      return;
    }
    const marker = readMarker(raw);
    if (marker?.role === 'old') {
      readMarkers(marker, end);
      return;
    }
    const header = readHeader(line);
    // Without a block, prose may look like it.
    const isProse = opener < 0 && header !== undefined && !isPathLike(header.value);
    if (header !== undefined && !isProse) {
      takeHeader(header);
      return;
    }
    // What is left of a SEARCH block or of a text that ended too early.
    if (marker !== undefined && opener >= 0 && marker.character !== '-' && marker.length >= 7) {
      fail(`the line ${quote(line)} belongs to no SEARCH block`);
      return;
    }
    if (/^(?:@@(?: |$)|\*\*\* (?:Begin Patch|Add File|Update File|Delete File))/.test(raw)) {
      takeDiff(start);
      return;
    }
    takeRemark(line);
  }

  return {
    read(): EditsBlock {
      while (block.next < text.length && !isOver) step();
      if (!isOver && opener >= 0 && !isComplete(block.sections.at(-1), block.reads)) {
        fail('the millrace-edits block is never closed; was the answer cut off?');
      }
      const says = block.status ?? block.summary ?? block.reads[0] ?? block.sections[0];
      if (says === undefined && remark !== undefined) {
        fail(`the line ${quote(remark)} is not understood, and the block changes no file`);
      }
      return block;
    },
  };
}

/** Nothing of the last file is missing, so only the closing fence is. */
function isComplete(last: Section | undefined, reads: readonly string[]): boolean {
  if (last === undefined) return reads.length > 0;
  return last.content !== undefined || last.edits.length > 0 || last.problem !== undefined;
}

function wantsBody(section: Section | undefined): boolean {
  if (section === undefined || section.content !== undefined) return false;
  return section.type === 'create' || (section.type === 'edit' && section.edits.length === 0);
}

function lineAt(text: string, start: number): string {
  return text.slice(start, Math.min(endOfLine(text, start), start + 2000));
}
