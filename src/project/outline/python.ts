// The outline of a Python source: classes with their methods, functions and constants, without bodies.
import { shortened } from './declaration.ts';
import { mask } from './mask.ts';
import type { Syntax } from './mask.ts';

const SYNTAX: Syntax = {
  opening: /"""|'''|"|'|#/g,
  spanOf: (opening) => {
    if (opening === '#') return { end: 'line' };
    return { end: { text: opening }, hasEscapes: true, isOneLine: opening.length === 1 };
  },
};

interface Line {
  indent: number;
  /** As it was written, and without its strings and comments. */
  text: string;
  code: string;
}

function bracketsIn(code: string): number {
  let open = 0;
  for (const sign of code) {
    if (sign === '(' || sign === '[' || sign === '{') open += 1;
    else if (sign === ')' || sign === ']' || sign === '}') open -= 1;
  }
  return open;
}

/** Lines as Python sees them: one continues while a bracket is open, or after a backslash. */
function logicalLines(text: string): Line[] {
  const written = text.split('\n');
  const masked = mask(text, SYNTAX).split('\n');
  const lines: Line[] = [];
  for (let at = 0; at < masked.length; at++) {
    const start = at;
    let open = bracketsIn(masked[at]!);
    while ((open > 0 || masked[at]!.endsWith('\\')) && at + 1 < masked.length) {
      at += 1;
      open += bracketsIn(masked[at]!);
    }
    const code = masked.slice(start, at + 1).join('\n');
    const indent = code.length - code.trimStart().length;
    if (code.trim() !== '') {
      lines.push({
        indent,
        code: code.trim(),
        text: written
          .slice(start, at + 1)
          .join('\n')
          .trimEnd(),
      });
    }
  }
  return lines;
}

export function outlineOfPython(text: string): string[] {
  const outline: string[] = [];
  let decorators: string[] = [];
  // The blocks that a line is in, by how far they are indented.
  const within: { indent: number; isClass: boolean }[] = [];
  for (const { indent, code, text: written } of logicalLines(text)) {
    while (within.length > 0 && within.at(-1)!.indent >= indent) within.pop();
    const isVisible = within.every(({ isClass }) => isClass);
    const isClass = /^class\b/.test(code);
    if (code.startsWith('@')) {
      decorators.push(shortened(written));
      continue;
    }
    if (isVisible && (isClass || /^(?:async[ \t]+)?def\b/.test(code))) {
      outline.push(...decorators, `${shortened(written)} ...`);
    } else if (isVisible && /^[A-Za-z_]\w*[ \t]*[:=]/.test(code)) {
      outline.push(shortened(written));
    }
    decorators = [];
    if (code.endsWith(':')) within.push({ indent, isClass });
  }
  return outline;
}
