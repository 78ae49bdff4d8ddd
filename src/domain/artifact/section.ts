// What an answer says about one file in one place, and what all such places come to.
import type { Operation, TextEdit } from '../../contract/artifact.ts';
import { elisionIn } from './elision.ts';
import { hasLineNumbers } from './line-numbers.ts';
import { quote } from './problems.ts';

export interface Section {
  type: 'create' | 'edit' | 'delete';
  path: string;
  baseSha256?: string;
  content?: string;
  /** It says itself that its text is the whole file, whatever is in it. */
  isVerbatim?: boolean;
  edits: TextEdit[];
  /** Why it cannot be used. */
  problem?: string;
}

export interface Gathered {
  operations: Operation[];
  problems: string[];
  unclear: string[];
}

/** For files that hold such lines themselves. */
export const UNLESS = ' (if the file itself has such lines, write the word whole after its fence)';

export function newSection(type: Section['type'], path: string): Section {
  return { type, path, edits: [] };
}

/** `groups`: the sections of each block of the answer. A later block may correct an earlier one. */
export function gatherSections(groups: readonly (readonly Section[])[]): Gathered {
  const gathered: Gathered = { operations: [], problems: [], unclear: [] };
  const byPath = new Map<string, { section: Section; group: number }[]>();
  for (const [group, sections] of groups.entries()) {
    for (const section of sections) {
      const known = byPath.get(section.path);
      if (known === undefined) byPath.set(section.path, [{ section, group }]);
      else known.push({ section, group });
    }
  }
  for (const [path, places] of byPath) {
    const joined = join(path, places);
    const read = joined.problem === undefined ? toOperation(joined) : joined.problem;
    const isSure = typeof read === 'string' || joined.isVerbatim === true;
    const problem = typeof read === 'string' ? read : isSure ? undefined : leftOut(read);
    if (problem !== undefined) {
      gathered.problems.push(problem);
      gathered.unclear.push(path);
    } else if (typeof read !== 'string') gathered.operations.push(read);
  }
  return gathered;
}

function leftOut(operation: Operation): string | undefined {
  if ('content' in operation && hasLineNumbers(operation.content)) {
    return `${quote(operation.path)}: its lines are numbered; write them without numbers${UNLESS}`;
  }
  const line = elisionIn(operation);
  if (line === undefined) return undefined;
  const what = `${quote(operation.path)}: the line ${quote(line)} stands for text that is left out`;
  return `${what}; write all of it, or use SEARCH blocks${UNLESS}`;
}

function join(path: string, places: readonly { section: Section; group: number }[]): Section {
  const [first, ...others] = places;
  // A list of its own: there may be very many.
  let joined = { ...first!.section, edits: [...first!.section.edits] };
  let group = first!.group;
  for (const { section, group: at } of others) {
    const isLater = at > group;
    group = at;
    joined = both(path, joined, section, isLater);
  }
  return joined;
}

function both(path: string, a: Section, b: Section, isLater: boolean): Section {
  const problem = a.problem ?? b.problem;
  if (problem !== undefined) return { ...b, problem };
  const base = a.baseSha256 ?? b.baseSha256;
  const joined = base === undefined ? b : { ...b, baseSha256: base };
  if (a.type === 'delete' && b.type === 'delete') return joined;
  const areWhole = a.content !== undefined && b.content !== undefined;
  // The last whole text in a block of its own is the last word.
  if (areWhole && (a.content === b.content || isLater)) return joined;
  if (a.edits.length > 0 && b.edits.length > 0) {
    for (const edit of b.edits) a.edits.push(edit);
    return { ...joined, edits: a.edits };
  }
  return { ...b, problem: `${quote(path)} is named by two operations that do not go together` };
}

function toOperation(section: Section): Operation | string {
  const { type, path, content, edits } = section;
  const base = section.baseSha256 === undefined ? {} : { baseSha256: section.baseSha256 };
  if (type === 'delete') return { type, path, ...base };
  if (content !== undefined && edits.length > 0) {
    return `${quote(path)} has a whole text and SEARCH blocks; give one of them`;
  }
  if (content !== undefined) {
    return type === 'create' ? { type, path, content } : { type, path, content, ...base };
  }
  if (edits.length > 0) {
    const [only] = edits;
    // A new file, by searching for nothing.
    if (type === 'create' && edits.length === 1 && only!.oldText === '') {
      const { newText, wholeLines } = only!;
      const isEnded = wholeLines !== true && newText.endsWith('\n');
      return { type, path, content: isEnded ? newText : `${newText}\n` };
    }
    return { type: 'edit', path, edits, ...base };
  }
  return type === 'create'
    ? `create ${quote(path)} has no fenced text`
    : `edit ${quote(path)} has neither a SEARCH block nor a fenced text`;
}
