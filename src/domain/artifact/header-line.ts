// A line that says what follows: `edit: src/a.ts`, in whatever dress a model gives it. Read by hand,
// step by step, because lines can be as long as an answer.
import { trimBlanks } from './fences.ts';

export type HeaderWord =
  | 'create'
  | 'edit'
  | 'delete'
  | 'read'
  | 'status'
  | 'summary'
  | 'basesha256';

export type Header =
  | { word: HeaderWord; value: string; /** The rest of the line after a path. */ remark: string }
  /** Something that no operation can do. */
  | { word: 'move'; value: string; remark: string };

const WORDS = new Map<string, HeaderWord | 'move'>([
  ['create', 'create'],
  ['create file', 'create'],
  ['new', 'create'],
  ['new file', 'create'],
  ['add', 'create'],
  ['add file', 'create'],
  ['write', 'create'],
  ['edit', 'edit'],
  ['edit file', 'edit'],
  ['update', 'edit'],
  ['update file', 'edit'],
  ['modify', 'edit'],
  ['modify file', 'edit'],
  ['delete', 'delete'],
  ['delete file', 'delete'],
  ['remove', 'delete'],
  ['remove file', 'delete'],
  ['read', 'read'],
  ['status', 'status'],
  ['summary', 'summary'],
  ['basesha256', 'basesha256'],
  ['rename', 'move'],
  ['move', 'move'],
]);
const PATH_WORDS = new Set<string>(['create', 'edit', 'delete', 'read', 'move']);
const LONGEST = 2000;

export function readHeader(line: string): Header | undefined {
  if (line.length > LONGEST) return undefined;
  const bare = withoutDress(trimBlanks(line));
  const colon = bare.indexOf(':');
  if (colon < 1 || colon > 20) return undefined;
  const name = bare.slice(0, colon).replaceAll('*', '').replaceAll('`', '').trim().toLowerCase();
  const word = WORDS.get(name);
  if (word === undefined) return undefined;
  const rest = trimBlanks(bare.slice(colon + 1).replace(/^(?:\*\*|__)/, ''));
  if (!PATH_WORDS.has(word)) return { word, value: trimBlanks(rest), remark: '' };
  const { path, remark } = cleanPath(rest);
  // Words that prose uses as well: only with the name of a file behind them.
  if (name !== word && word !== 'read' && !isPathLike(path)) return undefined;
  return { word, value: path, remark };
}

/** The exact form, which is no prose and no other thing. */
export function isPlainHeader(line: string): boolean {
  return /^(?:create|edit|delete|read): \S/i.test(line) && readHeader(line) !== undefined;
}

/** Without the marks of a heading, a list or a quotation before a line, and of emphasis around it. */
export function withoutDress(line: string): string {
  let text = line.replace(/^#{1,6}[ \t]+/, '');
  text = text.replace(/^(?:[-*+>]|\d{1,3}[.)])[ \t]+/, '');
  for (const mark of ['**', '__']) {
    if (text.startsWith(mark) && text.endsWith(mark) && text.length > 4) text = text.slice(2, -2);
    else if (text.startsWith(mark)) text = text.slice(2).replace(mark, '');
  }
  return trimBlanks(text);
}

const QUOTES: readonly (readonly [string, string])[] = [
  ['`', '`'],
  ['"', '"'],
  ["'", "'"],
  ['<', '>'],
  ['“', '”'],
];

/** A path without what is written around it, and the remark behind it. */
export function cleanPath(raw: string): { path: string; remark: string } {
  let text = trimBlanks(raw);
  if (text.startsWith('**') && text.length > 4) text = text.replace(/^\*\*/, '').replace('**', '');
  text = trimBlanks(text.replace(/^(?:file|path|filename):[ \t]*/i, ''));
  for (const [open, close] of QUOTES) {
    if (!text.startsWith(open)) continue;
    // One that is quoted twice has a quotation mark of its own.
    const isDouble = text.startsWith(open + open) && text.endsWith(close + close);
    const end = isDouble ? text.length - 1 : text.indexOf(close, 1);
    if (end < 2) break;
    return { path: withoutDot(text.slice(1, end)), remark: trimBlanks(text.slice(end + 1)) };
  }
  const cuts = [' (', ' [', ' #', ' //', ' <', ' — ', ' – ', ' - ', ' -> ', ' => ', '\t'];
  const at = Math.min(...cuts.map((cut) => text.indexOf(cut)).filter((each) => each > 0), Infinity);
  const cut = at === Infinity ? text.length : at;
  const path = trimBlanks(text.slice(0, cut)).replace(/:(?:\d{1,7}(?:-\d{1,7})?)?$/, '');
  return { path: withoutDot(path), remark: trimBlanks(text.slice(cut)) };
}

function withoutDot(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path;
}

/** Whether this text is nothing but the name of a file. */
export function isPathLike(text: string): boolean {
  if (text.length > 300 || !/^[\w.@~+[\]()$-][\w.@~+[\]()$ /-]*$/.test(text)) return false;
  if (text.includes(' ') && !text.includes('/')) return false;
  return /\.[A-Za-z0-9]{1,10}$/.test(text) || NAMES.has(text.slice(text.lastIndexOf('/') + 1));
}

const NAMES = new Set(['Makefile', 'Dockerfile', 'LICENSE', 'Gemfile', 'Rakefile', 'Procfile']);

/** A line that consists of a path, dressed or not: `### src/a.ts`, `**src/a.ts**:`, `File: src/a.ts`. */
export function pathLine(
  line: string,
): { path: string; remark: string; isNew: boolean } | undefined {
  if (line.length > LONGEST) return undefined;
  const bare = withoutDress(trimBlanks(line)).replace(/:$/, '');
  const { path, remark } = cleanPath(bare);
  if (!isPathLike(path) || path.includes(' ')) return undefined;
  const isRemark = remark === '' || /^[([#/<—–-]/.test(remark) || remark === ':' || remark === '**';
  return isRemark ? { path, remark, isNew: /\bnew\b/i.test(remark) } : undefined;
}
