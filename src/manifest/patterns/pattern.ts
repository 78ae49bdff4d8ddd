// What an entry of `owns` or `reads` stands for: a file, a directory with everything in it, or a
// glob. An entry without an extension and without a slash at its end may be either of the first two.
// Brackets are a set of characters in a glob and plain characters in a name such as `app/[id]/page.tsx`. Which of
// the two is meant shows on the disk only, so an entry with brackets stands for both.
import { expandBraces } from './braces.ts';
import { readSegment } from './segment.ts';
import type { Segment } from './segment.ts';

export interface Pattern {
  kind: 'file' | 'tree' | 'either' | 'glob';
  /** Path segments; those of a tree without its `**`. */
  parts: string[];
  /** How many segments at the start are literal: where it hangs in a tree of paths. */
  literalCount: number;
  text: string;
  /** Filled in by `segmentsOf`: most patterns are plain paths, and nobody asks. */
  segments?: Segment[];
}

export type ReadPattern =
  | { kind: 'patterns'; patterns: Pattern[] }
  | { kind: 'problem'; problem: string };

const MAX_LENGTH = 256;

// Paths made of ordinary names only: most of all entries, and the rules below have nothing to say.
const PLAIN_PATH = /^(?!\.{1,2}(?:\/|$))[\w.@+-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.@+-]+)*\/?$/;
const DRIVE = /^[A-Za-z]:/;
const WILD = /[*?[]/;
const WILD_BUT_BRACKETS = /[*?]/;
const EXTENDED = /[@+*?!]\(/;

export function segmentsOf(pattern: Pattern): Segment[] {
  pattern.segments ??= pattern.parts.map(readSegment);
  return pattern.segments;
}

/** A path that is nothing but this one file, whatever characters are in it: `app/[id]/page.tsx`. */
export function filePattern(path: string): Pattern {
  const parts = path.split('/');
  const segments = parts.map((text) => ({ kind: 'literal' as const, text }));
  return { kind: 'file', parts, literalCount: parts.length, text: path, segments };
}

function literalPattern(text: string): Pattern {
  const isDirectory = text.endsWith('/');
  const parts = (isDirectory ? text.slice(0, -1) : text).split('/');
  const hasExtension = parts.at(-1)!.lastIndexOf('.') > 0;
  const kind = isDirectory ? 'tree' : hasExtension ? 'file' : 'either';
  return { kind, parts, literalCount: parts.length, text };
}

function globPattern(text: string, wild = WILD): Pattern {
  const parts = text
    .split('/')
    .filter((part, at, all) => part !== '' && !(part === '**' && all[at - 1] === '**'));
  // A folder named by a glob stands for what is in it, as every folder does.
  if (text.endsWith('/') && parts.at(-1) !== '**') parts.push('**');
  const literalCount = parts.findIndex((part) => wild.test(part));
  const isTree = literalCount === parts.length - 1 && parts[literalCount] === '**';
  if (isTree) return { kind: 'tree', parts: parts.slice(0, -1), literalCount, text };
  return { kind: 'glob', parts, literalCount, text };
}

/** With brackets as plain characters, but for parts that have other signs of a glob. */
function namePattern(text: string): Pattern {
  const isGlob = WILD_BUT_BRACKETS.test(text);
  const pattern = isGlob ? globPattern(text, WILD_BUT_BRACKETS) : literalPattern(text);
  pattern.segments = pattern.parts.map((part) =>
    WILD_BUT_BRACKETS.test(part) ? readSegment(part) : { kind: 'literal', text: part },
  );
  return pattern;
}

/** The name comes first: where there is such a file, it is meant. */
function toPatterns(text: string): Pattern[] {
  if (text.includes('[')) return [namePattern(text), globPattern(text)];
  return [WILD.test(text) ? globPattern(text) : literalPattern(text)];
}

/** Everything below the literal beginning of a pattern: more than it, never less. */
export function widened(pattern: Pattern): Pattern {
  const parts = pattern.parts.slice(0, pattern.literalCount);
  return { kind: 'tree', parts, literalCount: parts.length, text: `${parts.join('/')}/**` };
}

function problemOf(entry: string, text: string): string | undefined {
  if (text === '' || text === '.') return 'is empty';
  if (text.includes('\\')) return 'has a backslash; use / between folders';
  if (text.startsWith('/') || DRIVE.test(text)) return 'is not relative to the project';
  if (text.split('/').includes('..')) return 'leads out of the project';
  if (text.startsWith('!')) return 'starts with !; negated patterns are not supported';
  if (EXTENDED.test(text)) return 'is an extended glob; write each alternative in {a,b}';
  if (/\p{Cc}/u.test(entry)) return 'has a control character';
  return undefined;
}

function normalised(entry: string): string {
  return entry
    .replace(/\/{2,}/g, '/')
    .replace(/^(?:\.\/)+/, '')
    .replace(/\/(?:\.\/)+/g, '/')
    .replace(/\/\.$/, '/');
}

export function readPattern(entry: string): ReadPattern {
  if (entry.length > MAX_LENGTH) {
    return { kind: 'problem', problem: `is longer than ${MAX_LENGTH} characters` };
  }
  if (PLAIN_PATH.test(entry)) return { kind: 'patterns', patterns: [literalPattern(entry)] };
  const text = normalised(entry);
  const problem = problemOf(entry, text);
  if (problem !== undefined) return { kind: 'problem', problem };
  const expanded = expandBraces(text);
  if (expanded === undefined) {
    return { kind: 'problem', problem: 'expands to more than 1024 patterns' };
  }
  // Alternatives can put a slash or dots together that were apart before.
  const texts = expanded.map(normalised);
  const broken = texts.map((each) => problemOf(each, each)).find((each) => each !== undefined);
  if (broken !== undefined) return { kind: 'problem', problem: broken };
  return { kind: 'patterns', patterns: texts.flatMap(toPatterns) };
}
