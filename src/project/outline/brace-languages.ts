import type { BraceLanguage } from './braces.ts';
import type { Syntax } from './mask.ts';

const STRING = { hasEscapes: true, isOneLine: true } as const;

const GO_SYNTAX: Syntax = {
  opening: /\/\/|\/\*|"|'|`/g,
  spanOf(opening) {
    if (opening === '//') return { end: 'line' };
    if (opening === '/*') return { end: { text: '*/' } };
    return opening === '`' ? { end: { text: '`' } } : { end: { text: opening }, ...STRING };
  },
};

export const GO: BraceLanguage = {
  syntax: GO_SYNTAX,
  endsAtNewline: true,
  isShown: (head, depth) => depth === 0 && /^(?:package|func|type|var|const)\b/.test(head),
  isContainer: () => false,
  isData: (head) => /^type\b/.test(head),
  isTypeBrace: (start, after) =>
    start.startsWith('func') && /\b(?:interface|struct)[ \t]?$/.test(after),
};

// A quote opens a character only when the next one closes it: otherwise it is a lifetime.
const RUST_SYNTAX: Syntax = {
  opening: /\/\/|\/\*|\bb?r#*"|"|'(?:\\u\{\w+\}|\\x\w\w|\\[^\n]|[^'\\\n])'/g,
  spanOf(opening) {
    if (opening === '//') return { end: 'line' };
    if (opening === '/*') return { end: { text: '*/' }, isNested: true };
    if (opening === '"') return { end: { text: '"' }, hasEscapes: true };
    if (opening.startsWith("'")) return { end: 'opening' };
    return { end: { text: `"${'#'.repeat(opening.split('#').length - 1)}` } };
  },
};

const RUST_ITEM =
  /^(?:pub\b|(?:fn|struct|enum|union|trait|impl|mod|type|const|static|unsafe|async|extern|macro_rules)\b)/;
const RUST_CONTAINER = /^(?:pub(?:\([^)]*\))? )?(?:unsafe )?(?:impl|trait|mod)\b/;

/** `#[derive(...)]` and the like stand before an item. */
function withoutAttributes(head: string): string {
  let item = head;
  while (item.startsWith('#')) {
    const end = item.indexOf(']');
    if (end < 0) return '';
    item = item.slice(end + 1).trimStart();
  }
  return item;
}

export const RUST: BraceLanguage = {
  syntax: RUST_SYNTAX,
  endsAtNewline: false,
  isShown: (head) => RUST_ITEM.test(withoutAttributes(head)),
  isContainer: (head) => RUST_CONTAINER.test(withoutAttributes(head)),
  isData: (head) => /\b(?:struct|enum|union)\b/.test(withoutAttributes(head)),
};

const JAVA_SYNTAX: Syntax = {
  opening: /\/\/|\/\*|"""|"|'/g,
  spanOf(opening) {
    if (opening === '//') return { end: 'line' };
    if (opening === '/*') return { end: { text: '*/' } };
    if (opening === '"""') return { end: { text: '"""' }, hasEscapes: true };
    return { end: { text: opening }, ...STRING };
  },
};

const JAVA_TYPE = /\b(?:class|interface|enum|record)\b/;

export const JAVA: BraceLanguage = {
  syntax: JAVA_SYNTAX,
  endsAtNewline: false,
  isShown: (head, depth) => {
    if (depth === 0) return JAVA_TYPE.test(head) || /^package\b/.test(head);
    return !/^private\b/.test(head) && /[\w)]/.test(head);
  },
  isContainer: (head) => JAVA_TYPE.test(head),
  isData: (head) => /\benum\b/.test(head),
};
