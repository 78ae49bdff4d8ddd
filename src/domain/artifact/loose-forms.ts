// Changes in an answer without a labelled block, in the forms that models know from other tools. A form
// counts when it names the file and says what becomes of it; code that only illustrates does not.
import { addAll } from './add-all.ts';
import { beginsPatch, isPatch, readPatch } from './apply-patch.ts';
import { findBodyEnd, nextFilled } from './body-end.ts';
import { DOCUMENTS, readBodyText, readMarked } from './body-text.ts';
import { readBareEdits, readEditsBlock, type EditsBlock } from './edits-block.ts';
import { endOfLine, findFences, type Fences } from './fences.ts';
import { fencePath } from './fence-path.ts';
import { isPathLike, pathLine, readHeader } from './header-line.ts';
import { quote } from './problems.ts';
import { readMarker } from './search-replace.ts';
import { newSection, type Section } from './section.ts';
import { readTagged, type TaggedText } from './tagged-forms.ts';
import { isDiff, isFileStart, readDiff } from './unified-diff.ts';

export interface LooseForms {
  sections: Section[];
  problems: string[];
  reads: string[];
  status?: string;
  summary?: string;
  /** The text of fences that hold JSON. */
  json: string[];
}

export function readLooseForms(text: string): LooseForms {
  const fences = findFences(text);
  const forms: LooseForms = { sections: [], problems: [], reads: [], json: [] };
  // A block of ours that is only quoted: the answer is about the format.
  if (showsOurs(fences)) return forms;
  const tags = { text, neverClosed: new Set<string>() };
  let above = '';
  for (let start = 0; start < text.length;) {
    const end = endOfLine(text, start);
    const line = text.slice(start, Math.min(end, start + 2000));
    if (line.trim() === '') {
      start = end + 1;
      continue;
    }
    const fence = fences.firstFrom(start);
    if (
      fence < fences.count &&
      fences.startOf(fence) === start &&
      fences.infoOf(fence) !== undefined
    ) {
      start = readFence({ text, fences, fence, above }, forms);
      above = '';
      continue;
    }
    const next = readLine({ tags, fences, start, line }, forms);
    above = next === undefined ? line : '';
    start = next ?? end + 1;
  }
  return forms;
}

function showsOurs(fences: Fences): boolean {
  for (let fence = 0; fence < fences.count; fence++) {
    if (/^(?:millrace|service)-(?:edits|artifact)\b/i.test(fences.infoOf(fence) ?? '')) return true;
  }
  return false;
}

/** A form that begins in this line, and where it ends. */
function readLine(
  { tags, fences, start, line }: { tags: TaggedText; fences: Fences; start: number; line: string },
  forms: LooseForms,
): number | undefined {
  const { text } = tags;
  const end = endOfLine(text, start);
  if (/^[ \t]*</.test(line)) {
    const tagged = readTagged(tags, start, line);
    if (tagged !== undefined) {
      forms.sections.push(tagged.section);
      return tagged.next;
    }
  }
  if (beginsPatch(line)) {
    const close = endOfPatch(text, start);
    const to = close < 0 ? text.length : close;
    takeSections(
      readPatch(text.slice(start, to).split('\n')),
      'the patch is not understood',
      forms,
    );
    return close < 0 ? text.length : endOfLine(text, close + 1) + 1;
  }
  const second = text.slice(end + 1, endOfLine(text, end + 1));
  if (line.startsWith('diff --git ') || isFileStart([line, second], 0)) {
    const to = endOfDiff(text, start);
    takeSections(readDiff(text.slice(start, to).split('\n')), 'the diff is not understood', forms);
    return to;
  }
  const header = readHeader(line);
  const names = header !== undefined && isPathLike(header.value);
  const isHeader = names && ['create', 'edit', 'delete', 'move'].includes(header.word);
  // Most lines are prose, and need no look at what follows them.
  if (!isHeader && !pathLine(line)) return undefined;
  const body = startsBody(text, fences, end + 1);
  if ((isHeader && (body || header.word === 'delete')) || (pathLine(line) && body === 'marker')) {
    const block = readBareEdits(text, fences, start);
    takeBlock(block, forms);
    return block.next;
  }
  return undefined;
}

/** Of the line break before its last line; -1 when it has none. */
function endOfPatch(text: string, from: number): number {
  const spaced = text.indexOf('\n*** End Patch', from);
  return spaced >= 0 ? spaced : text.indexOf('\n***End Patch', from);
}

/** What the next lines are, some remarks aside. */
function startsBody(text: string, fences: Fences, from: number): 'fence' | 'marker' | undefined {
  let start = from;
  for (let filled = 0; start < text.length && filled < 4;) {
    const end = endOfLine(text, start);
    const line = text.slice(start, Math.min(end, start + 1100));
    const fence = fences.firstFrom(start);
    if (fence < fences.count && fences.startOf(fence) === start) return 'fence';
    if (readMarker(line)?.role === 'old' || /^@@(?: |$)/.test(line)) return 'marker';
    if (line.trim() !== '') filled += 1;
    if (readHeader(line) !== undefined) return undefined;
    start = end + 1;
  }
  return undefined;
}

function endOfDiff(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const end = endOfLine(text, at);
    const line = text.slice(at, Math.min(end, at + 200));
    const isPart =
      line === '' ||
      '+- @\\'.includes(line.charAt(0)) ||
      /^(?:diff --git |index |new file|deleted file|old mode|new mode|similarity|dissimilarity|rename |copy |Binary )/.test(
        line,
      );
    if (!isPart) return at;
    at = end + 1;
  }
  return text.length;
}

function takeSections(sections: Section[] | undefined, problem: string, forms: LooseForms): void {
  if (sections === undefined) forms.problems.push(problem);
  else addAll(forms.sections, sections);
}

function takeBlock(block: EditsBlock, forms: LooseForms): void {
  addAll(forms.sections, block.sections);
  addAll(forms.problems, block.problems);
  addAll(forms.reads, block.reads);
  if (block.status !== undefined) forms.status = block.status;
  if (block.summary !== undefined) forms.summary = block.summary;
}

interface FencePosition {
  text: string;
  fences: Fences;
  fence: number;
  /** The line above it. */
  above: string;
}

/** Reads what is in the fence, if it is a change, and says where to go on. */
function readFence({ text, fences, fence, above }: FencePosition, forms: LooseForms): number {
  const from = endOfLine(text, fences.startOf(fence)) + 1;
  const info = fences.infoOf(fence) ?? '';
  if (isGrammar(text, from)) {
    const block = readEditsBlock(text, fences, fence);
    takeBlock(block, forms);
    return block.next;
  }
  const named = fencePath(info) ?? pathLine(above);
  const isDocument = named !== undefined && DOCUMENTS.test(named.path);
  const end = findBodyEnd({
    text,
    fences,
    block: -1,
    body: fence,
    isDocument,
    isLabel: () => false,
  });
  const closer = typeof end === 'number' ? end : fences.closerOf(fence);
  const isClosed = closer >= 0;
  const body = text.slice(from, isClosed ? fences.startOf(closer) : text.length);
  const next = isClosed ? endOfLine(text, fences.startOf(closer)) + 1 : text.length;
  const first = body.trimStart().charAt(0);
  if ((first === '{' || first === '[') && /^(?:json|jsonc|json5|javascript|)$/i.test(info)) {
    forms.json.push(body);
    return next;
  }
  const sections = readChange(body, info, named?.path);
  if (sections !== undefined) {
    addAll(forms.sections, sections);
    return next;
  }
  const inInfo = fencePath(info);
  const path = inInfo?.path ?? (commentPath(body) === named?.path ? named?.path : undefined);
  if (path === undefined) return next;
  const section = newSection(named?.isNew === true ? 'create' : 'edit', path);
  const whole = inInfo === undefined ? body.slice(body.indexOf('\n') + 1) : body;
  forms.sections.push(
    isClosed && end !== null
      ? { ...section, content: whole }
      : { ...section, problem: `it is unclear where the text of ${quote(path)} ends` },
  );
  return next;
}

/** Whether a fence without a label holds our own lines. */
function isGrammar(text: string, from: number): boolean {
  let start = nextFilled(text, from);
  while (/^(?:status|summary):/i.test(text.slice(start, start + 10))) {
    start = nextFilled(text, endOfLine(text, start) + 1);
  }
  const header = readHeader(lineFrom(text, start));
  if (header === undefined || !isPathLike(header.value)) return false;
  if (header.word === 'read' || header.word === 'delete') return true;
  if (header.word !== 'create' && header.word !== 'edit' && header.word !== 'move') return false;
  const next = lineFrom(text, nextFilled(text, endOfLine(text, start) + 1));
  return /^(?:```|~~~|@@|basesha256:)/i.test(next) || readMarker(next)?.role === 'old';
}

function lineFrom(text: string, start: number): string {
  return text.slice(start, Math.min(endOfLine(text, start), start + 2000));
}

/** Undefined when the text is not a change in any notation. */
function readChange(body: string, info: string, path: string | undefined): Section[] | undefined {
  const first = body.trimStart();
  if (first.startsWith('<')) {
    const sections = readTags(body);
    if (sections.length > 0) return sections;
  }
  const lines = body.replace(/\n$/, '').split('\n');
  if (isPatch(lines)) return readPatch(lines) ?? [unknownFile('the patch is not understood')];
  if (/^(?:diff --git |--- )/.test(first)) {
    const sections = readDiff(lines);
    if (sections !== undefined) return sections;
  }
  const marked = readMarked(body);
  if (marked.kind !== 'whole') {
    // With the paths between the blocks, or in the markers.
    const block = readBareEdits(body, findFences(body), 0);
    if (block.problems.length === 0 && block.sections.length > 0) return block.sections.map(asNew);
    const isMeant = marked.kind === 'edits' && /^.{5,12} (?:search|original)/im.test(body);
    if (path === undefined && !isMeant) return undefined;
    if (path === undefined)
      return [unknownFile('a SEARCH block belongs to no file; write edit: above it')];
    if (marked.kind === 'problem')
      return [{ ...newSection('edit', path), problem: `${quote(path)}: ${marked.problem}` }];
    return [asNew({ ...newSection('edit', path), edits: marked.edits })];
  }
  const isSaid = /^(?:diff|patch|udiff)\b/i.test(info);
  if (!isDiff(lines, isSaid)) return undefined;
  // Without the name of a file it only illustrates.
  if (path === undefined) return undefined;
  const read = readBodyText(body, path, info);
  if (read.kind === 'problem')
    return [{ ...newSection('edit', path), problem: `${quote(path)}: ${read.problem}` }];
  return read.kind === 'edits' ? [{ ...newSection('edit', path), edits: read.edits }] : undefined;
}

function unknownFile(problem: string): Section {
  return { ...newSection('edit', ''), problem };
}

/** To search for nothing is how others write a new file. */
function asNew(section: Section): Section {
  const isNew = section.edits.length === 1 && section.edits[0]!.oldText.trim() === '';
  if (!isNew) return section;
  return { ...section, type: 'create', edits: [{ ...section.edits[0]!, oldText: '' }] };
}

function readTags(body: string): Section[] {
  const sections: Section[] = [];
  const tags = { text: body, neverClosed: new Set<string>() };
  for (let start = 0; start < body.length;) {
    const end = endOfLine(body, start);
    const tagged = readTagged(tags, start, body.slice(start, Math.min(end, start + 2000)));
    if (tagged !== undefined) sections.push(tagged.section);
    start = tagged === undefined ? end + 1 : tagged.next;
  }
  return sections;
}

/** A path in a comment in the first line: `// src/a.ts`. */
function commentPath(body: string): string | undefined {
  const line = body.slice(0, Math.min(endOfLine(body, 0), 300));
  const inner = /^(?:\/\/|#|--|\/\*|<!--)\s*(\S+)/.exec(line)?.[1];
  return inner !== undefined && isPathLike(inner) ? inner : undefined;
}
