// How the new lines of an edit are indented in the file. Models often leave the indentation out, in
// the text to look for, in the new text, or in both; and they write spaces where the file has tabs.
// The new lines get the file's own indentation where only one reading makes sense, else there is none.

export interface IndentCase {
  /** The lines of the file, whole, that the searched lines were found in. */
  file: readonly string[];
  search: readonly string[];
  replace: readonly string[];
}

export const indentOf = (line: string): string => /^[ \t]*/.exec(line)![0];
const isFilled = (line: string): boolean => line.trim() !== '';

/** How the searched lines are indented, next to those of the file. */
type Frame =
  | { kind: 'exact' | 'trimmed' | 'tabs'; prefix?: undefined }
  | { kind: 'added' | 'removed'; prefix: string };

function frameOf({ file, search }: Pick<IndentCase, 'file' | 'search'>): Frame | undefined {
  const filled = filledPairs(file, search);
  if (filled.every(({ here, there }) => here === there)) return { kind: 'exact' };
  const added = prefixOf(filled.map(({ here, there }) => [here, there]));
  if (added !== undefined) return { kind: 'added', prefix: added };
  const removed = prefixOf(filled.map(({ here, there }) => [there, here]));
  if (removed !== undefined) return { kind: 'removed', prefix: removed };
  const isTrimmed = isFilled(search[0]!) && filled.slice(1).every((it) => it.here === it.there);
  if (isTrimmed && filled[0]!.here.endsWith(filled[0]!.there)) return { kind: 'trimmed' };
  return tabWidth(filled) === undefined ? undefined : { kind: 'tabs' };
}

/** Whether the searched lines are these lines of the file, indented in some other way. */
export function isSameBlock(file: readonly string[], search: readonly string[]): boolean {
  return frameOf({ file, search }) !== undefined;
}

export function fitIndent(given: IndentCase): readonly string[] | undefined {
  const { search, replace, file } = given;
  const filled = filledPairs(file, search);
  const lines = replace.filter(isFilled);
  if (filled.length === 0 || lines.length === 0) return replace;
  const frame = frameOf(given);
  if (frame === undefined) return undefined;
  if (frame.kind === 'trimmed') return fitTrimmed(given);
  if (frame.kind === 'tabs') return fitTabs(replace, filled);
  const facts = factsOf(given, filled, lines);
  if (frame.prefix === undefined) return fitExact(given, facts);
  if (frame.kind === 'added') return fitAdded(given, facts, frame.prefix);
  return fitRemoved(given, facts, frame.prefix);
}

function filledPairs(file: readonly string[], search: readonly string[]): Pair[] {
  return search.flatMap((line, i) =>
    isFilled(line) ? [{ here: indentOf(file[i] ?? ''), there: indentOf(line) }] : [],
  );
}

interface Pair {
  here: string;
  there: string;
}

interface Facts {
  /** Lines of the old text that the new text keeps, indented as it has them or as the file has them. */
  kept: number;
  moved: number;
  /** Of these, those that lack as much indentation as the whole new text lacks. */
  lacking: number;
  /** All lines that stay move out, and nothing that was around them goes. */
  isStray: boolean;
  first: Pair & { now: string };
  /** The smallest indentation in the file, in the searched and in the new lines. */
  least: { file: number; search: number; replace: number };
}

function factsOf(given: IndentCase, filled: readonly Pair[], lines: readonly string[]): Facts {
  let kept = 0;
  let moved = 0;
  const shifts: number[] = [];
  let firstAt = Infinity;
  for (const [at, nowAt] of sameLines(given)) {
    const now = indentOf(given.replace[nowAt]!);
    firstAt = Math.min(firstAt, at);
    shifts.push(indentOf(given.search[at]!).length - now.length);
    if (now === indentOf(given.search[at]!)) kept += 1;
    else if (now === indentOf(given.file[at] ?? '')) moved += 1;
  }
  const least = (indents: readonly string[]) =>
    indents.reduce((a, b) => Math.min(a, b.length), 1e9);
  const leasts = {
    file: least(filled.map(({ here }) => here)),
    search: least(filled.map(({ there }) => there)),
    replace: least(lines.map(indentOf)),
  };
  const lack = leasts.search - leasts.replace;
  const lacking = lack > 0 ? shifts.filter((shift) => shift === lack).length : 0;
  const first = { ...filled[0]!, now: indentOf(lines[0]!) };
  const [shift = 0] = shifts;
  const isOut = shift > 0 && kept + moved === 0 && shifts.every((each) => each === shift);
  const isStray = isOut && !isUnwrapped(given, firstAt, shift);
  return { kept, moved, lacking, isStray, first, least: leasts };
}

/** A line right before these that they move out to goes, with all that belongs to it. */
function isUnwrapped({ search, replace }: IndentCase, at: number, shift: number): boolean {
  const known = new Set(replace.map((line) => line.trim()));
  const before = search.slice(0, at).findLast(isFilled);
  if (before === undefined || known.has(before.trim())) return false;
  const isLevel = indentOf(before).length === indentOf(search[at]!).length - shift;
  const isBracket = /[{([]$/.test(before.trimEnd());
  const left = openBrackets(search.slice(0, at)).split(' ');
  const opens = isBracket
    ? left.some((count) => Number(count) > 0) && !left.some((count) => Number(count) < 0)
    : /^(?:if|elif|else|for|while|with|try|except|finally|async|def|class)\b.*:$/.test(
        before.trim(),
      );
  return opens && isLevel && openBrackets(search) === openBrackets(replace);
}

/** How many brackets of each kind are left open. */
function openBrackets(lines: readonly string[]): string {
  const open = [0, 0, 0];
  for (const line of lines) {
    for (const character of line) {
      const at = '([{)]}'.indexOf(character);
      if (at >= 0) open[at % 3]! += at < 3 ? 1 : -1;
    }
  }
  return open.join(' ');
}

/** Lines that both texts have, each once. */
function sameLines({ search, replace }: IndentCase): [number, number][] {
  const nows = uniqueLines(replace);
  const pairs: [number, number][] = [];
  for (const [text, at] of uniqueLines(search)) {
    const nowAt = nows.get(text) ?? -1;
    if (at >= 0 && nowAt >= 0) pairs.push([at, nowAt]);
  }
  return pairs;
}

/** Where each line is, without its indentation; -1 for those that are there twice. */
function uniqueLines(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [i, line] of lines.entries()) {
    if (isFilled(line)) places.set(line.trim(), places.has(line.trim()) ? -1 : i);
  }
  return places;
}

/** What all first ones have before the second ones; undefined when it is not the same. */
function prefixOf(pairs: readonly (readonly [string, string])[]): string | undefined {
  const [long, short] = pairs[0]!;
  if (!long.endsWith(short)) return undefined;
  const prefix = long.slice(0, long.length - short.length);
  return pairs.every(([a, b]) => a === prefix + b) ? prefix : undefined;
}

const textOf = (lines: readonly string[]): string => lines.map((line) => line.trim()).join('\n');
const withPrefix = (prefix: string, lines: readonly string[]): string[] =>
  lines.map((line) => (isFilled(line) ? prefix + line : line));

/** The old text is indented as the file is. So is the new one, unless it lacks what the old one has. */
function fitExact({ search, replace }: IndentCase, facts: Facts): readonly string[] | undefined {
  const { kept, lacking, first, least } = facts;
  if (least.replace >= least.search) {
    const isSame = textOf(search) === textOf(replace);
    return facts.isStray && !isSame ? undefined : replace;
  }
  const known = new Set(search.map((line) => line.trim()));
  const isOut = (line: string) => isFilled(line) && indentOf(line).length < least.search;
  const movesOut = replace.some((line) => isOut(line) && known.has(line.trim()));
  const isUnclear = lacking > 0 || movesOut || isWrapped({ search, replace });
  if (kept > 0) return isUnclear ? undefined : replace;
  // Nothing but the indentation changes, so that is what was meant.
  if (textOf(search) === textOf(replace)) return replace;
  const lack = first.here.slice(0, least.search - least.replace);
  if (lacking > 0) return withPrefix(lack, replace);
  if (facts.isStray) return undefined;
  if (first.now !== '') return least.replace === 0 ? undefined : replace;
  // A bracket or an end that closes something further out may well belong there.
  if (/^(?:[)\]}]|end\b)/.test(replace.find(isFilled)!)) return undefined;
  return withPrefix(first.here, replace);
}

/** The old text lacks indentation: does the new one lack it, too? */
function fitAdded(given: IndentCase, facts: Facts, added: string): readonly string[] | undefined {
  const { replace, file } = given;
  const { kept, moved, first, least } = facts;
  if ((kept > 0 && moved > 0) || facts.isStray) return undefined;
  const rest = replace.slice(replace.findIndex(isFilled) + 1).filter(isFilled);
  const isOneLine = given.search.filter(isFilled).length === 1 && isFilled(replace[0]!);
  if (isOneLine && first.now === first.there && rest.length > 0) {
    // Only the first line may lack it, as when a text was trimmed at its ends.
    const inner = indentOf(rest[0]!).length;
    const opens = /[{([:,>=]$/.test(replace.find(isFilled)!.trimEnd());
    const isWhole = rest.every((line) => indentOf(line).length >= first.here.length);
    if (isWhole && (!opens || inner > first.here.length)) {
      const at = replace.findIndex(isFilled);
      return replace.map((line, i) => (i === at ? added + line : line));
    }
  }
  if (least.replace >= least.file) {
    const isSame =
      replace.length === file.length &&
      replace.every((line, i) => line.trimEnd() === file[i]!.trimEnd());
    return kept > 0 || isSame ? undefined : replace;
  }
  if (kept > 0) return withPrefix(added, replace);
  // Lines that stay are as in the file, unless they are so because something is put around them.
  if (moved > 0 && !isWrapped(given)) return undefined;
  return least.replace === least.search ? withPrefix(added, replace) : undefined;
}

/** The new text begins with a line that the old one has not, and ends with one where brackets do so. */
function isWrapped({ search, replace }: Omit<IndentCase, 'file'>): boolean {
  const known = new Set(search.map((line) => line.trim()));
  const lines = replace.filter(isFilled).map((line) => line.trim());
  if (known.has(lines[0]!)) return false;
  return !known.has(lines.at(-1)!) || lines[0]!.endsWith(':');
}

/** The old text has more indentation than the file. */
function fitRemoved(
  { replace }: IndentCase,
  { kept, moved, isStray, first, least }: Facts,
  removed: string,
): readonly string[] | undefined {
  if ((kept > 0 && moved > 0) || isStray) return undefined;
  if (moved > 0 || (kept === 0 && first.now === first.here)) return replace;
  if (kept === 0 && least.replace < least.search) return undefined;
  if (!replace.every((line) => !isFilled(line) || line.startsWith(removed))) return undefined;
  return replace.map((line) => (isFilled(line) ? line.slice(removed.length) : line));
}

/** The first line was trimmed, the others are as in the file. */
function fitTrimmed({ file, search, replace }: IndentCase): readonly string[] | undefined {
  const here = indentOf(file[0] ?? '');
  const there = indentOf(search[0]!);
  const now = indentOf(replace[0]!);
  if (now === here) return replace;
  if (now !== there || !here.endsWith(there)) return undefined;
  return [here.slice(0, here.length - there.length) + replace[0]!, ...replace.slice(1)];
}

/** Spaces for one tab where one has tabs and the other has spaces, always equally many. */
function tabWidth(filled: readonly Pair[]): { width: number; toTabs: boolean } | undefined {
  const toTabs = filled.every(({ here, there }) => isOf('\t', here) && isOf(' ', there));
  const toSpaces = filled.every(({ here, there }) => isOf(' ', here) && isOf('\t', there));
  if (!toTabs && !toSpaces) return undefined;
  const [tabs, spaces] = toTabs ? (['here', 'there'] as const) : (['there', 'here'] as const);
  const sample = filled.find((pair) => pair[tabs] !== '');
  if (sample === undefined) return undefined;
  const width = sample[spaces].length / sample[tabs].length;
  const isSteady = filled.every((pair) => pair[spaces].length === width * pair[tabs].length);
  return isSteady && Number.isInteger(width) && width >= 2 ? { width, toTabs } : undefined;
}

function fitTabs(
  replace: readonly string[],
  filled: readonly Pair[],
): readonly string[] | undefined {
  const { width, toTabs } = tabWidth(filled)!;
  const indents = replace.filter(isFilled).map(indentOf);
  if (indents.every((indent) => isOf(toTabs ? '\t' : ' ', indent))) return replace;
  if (!indents.every((indent) => isOf(toTabs ? ' ' : '\t', indent))) return undefined;
  if (toTabs && !indents.every((indent) => indent.length % width === 0)) return undefined;
  return replace.map((line) => {
    if (!isFilled(line)) return line;
    const { length } = indentOf(line);
    const indent = toTabs ? '\t'.repeat(length / width) : ' '.repeat(length * width);
    return indent + line.slice(length);
  });
}

function isOf(character: string, indent: string): boolean {
  return indent === character.repeat(indent.length);
}

/** Whether the new lines are indented by tabs in a file that has spaces, or the other way round. */
export function isForeign(file: IndentStyle, replace: readonly string[]): boolean {
  const style = styleOf(replace);
  if (file.tabs && !file.spaces) return style.spaces;
  return file.spaces && !file.tabs && style.tabs;
}

export interface IndentStyle {
  tabs: boolean;
  spaces: boolean;
}

/** One space alone is no indentation: comments are aligned by it. */
export function styleOf(lines: readonly string[]): IndentStyle {
  return {
    tabs: lines.some((line) => line.startsWith('\t')),
    spaces: lines.some((line) => line.startsWith('  ')),
  };
}
