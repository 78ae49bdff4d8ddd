// The outline of a source whose blocks stand in braces: declarations without their bodies. Read
// statement by statement, which needs no more of the grammar than where one ends.
import { shortened } from './declaration.ts';
import { mask } from './mask.ts';
import type { Syntax } from './mask.ts';

export interface BraceLanguage {
  syntax: Syntax;
  /** Whether a statement is shown: what stands before its body, without strings and comments. */
  isShown(head: string, depth: number): boolean;
  /** Its body has declarations of its own. */
  isContainer(head: string): boolean;
  /** Its body is what it declares; shown when it is short. */
  isData(head: string): boolean;
  /** A line that ends nothing open ends a statement too. */
  endsAtNewline: boolean;
  /** A brace behind `after` that belongs to a type, in a statement that begins with `start`. */
  isTypeBrace?(start: string, after: string): boolean;
}

const LONGEST_DATA = 600;
/** Of what a statement begins with, what is looked at. */
const LONGEST_HEAD = 1000;
const LOOKED_AT = 20;
const DEEPEST = 2;

interface Statement {
  start: number;
  /** Where its body begins; none when it has no body. */
  brace: number | undefined;
  end: number;
}

function closingOf(code: string, brace: number, to: number): number {
  let open = 0;
  for (let at = brace; at < to; at++) {
    if (code[at] === '{') open += 1;
    else if (code[at] === '}' && --open === 0) return at;
  }
  return to;
}

const BLANK = /[\s;,)}\]]/;

function nextStatement(
  code: string,
  from: number,
  to: number,
  { endsAtNewline, isTypeBrace }: BraceLanguage,
): Statement | undefined {
  let start = from;
  while (start < to && BLANK.test(code[start]!)) start += 1;
  if (start >= to) return undefined;
  let open = 0;
  for (let at = start; at < to; at++) {
    const sign = code[at]!;
    if (sign === '(' || sign === '[') open += 1;
    else if ((sign === ')' || sign === ']') && open > 0) open -= 1;
    else if (open > 0) continue;
    else if (sign === ';') return { start, brace: undefined, end: at + 1 };
    else if (sign === '\n' && endsAtNewline) return { start, brace: undefined, end: at };
    else if (sign === '{') {
      const closing = closingOf(code, at, to);
      const before = code.slice(Math.max(start, at - LOOKED_AT), at);
      if (isTypeBrace?.(code.slice(start, start + LOOKED_AT), before) === true) at = closing;
      else return { start, brace: at, end: Math.min(closing + 1, to) };
    }
  }
  return { start, brace: undefined, end: to };
}

export function outlineOfBraces(text: string, language: BraceLanguage): string[] {
  const code = mask(text, language.syntax);
  const outline: string[] = [];

  function read(from: number, to: number, depth: number): void {
    const indent = '  '.repeat(depth);
    let at = from;
    for (;;) {
      const next = nextStatement(code, at, to, language);
      if (next === undefined) return;
      const { start, brace, end } = next;
      at = end;
      const head = code.slice(start, Math.min(brace ?? end, start + LONGEST_HEAD)).trim();
      if (!language.isShown(head, depth)) continue;
      if (brace === undefined) {
        outline.push(indent + shortened(text.slice(start, end).trim()));
        continue;
      }
      const written = indent + shortened(text.slice(start, brace).trim());
      if (language.isData(head) && end - brace <= LONGEST_DATA) {
        outline.push(`${written} ${text.slice(brace, end)}`);
      } else if (language.isContainer(head) && depth < DEEPEST) {
        outline.push(`${written} {`);
        read(brace + 1, end - 1, depth + 1);
        outline.push(`${indent}}`);
      } else outline.push(`${written} { ... }`);
    }
  }

  read(0, code.length, 0);
  return outline;
}
