// Changes in tags, as agents call their tools: <write_to_file><path>a.ts</path><content>...</content>.
import type { TextEdit } from '../../contract/artifact.ts';
import { readMarked } from './body-text.ts';
import { trimBlanks } from './fences.ts';
import { isPathLike } from './header-line.ts';
import { quote } from './problems.ts';
import { lineEdit } from './search-replace.ts';
import { newSection, type Section } from './section.ts';

const TAGS = new Map<string, Section['type'] | 'any'>([
  ['file', 'any'],
  ['write_to_file', 'any'],
  ['write_file', 'any'],
  ['create_file', 'create'],
  ['replace_in_file', 'edit'],
  ['apply_diff', 'edit'],
  ['edit_file', 'edit'],
  ['edit', 'edit'],
  ['create', 'create'],
  ['delete_file', 'delete'],
  ['invoke', 'any'],
  ['function', 'any'],
  ['boltaction', 'any'],
]);
const OPEN = /^[ \t]*<([A-Za-z_]+)((?:[ =][^<>\n]*)?)>/;
const FIELDS = [
  'path',
  'file_path',
  'filePath',
  'content',
  'contents',
  'file_text',
  'diff',
  'search',
  'replace',
  'old_str',
  'new_str',
  'old_string',
  'new_string',
  'old_text',
  'new_text',
  'command',
];

export interface Tagged {
  section: Section;
  next: number;
}

export interface TaggedText {
  text: string;
  /** Tags that are not closed any more, so that nobody looks for it again and again. */
  neverClosed: Set<string>;
}

/** The element that starts in this line; undefined when it is none that changes a file. */
export function readTagged(
  { text, neverClosed }: TaggedText,
  start: number,
  line: string,
): Tagged | undefined {
  const found = OPEN.exec(line);
  const name = found?.[1];
  const type = TAGS.get(name?.toLowerCase() ?? '');
  if (found === null || name === undefined || type === undefined) return undefined;
  if (neverClosed.has(name)) return undefined;
  const from = start + found[0].length;
  const close = `</${name}>`;
  const end = text.indexOf(close, from);
  if (end < 0) neverClosed.add(name);
  if (end < 0) return undefined;
  const inner = text.slice(from, end);
  const attributes = found[2] ?? '';
  const fields = fieldsOf(inner);
  const path = attributeOf(attributes, ['path', 'file_path', 'filePath', 'name', 'file']);
  const named = fields.get('path') ?? fields.get('file_path') ?? fields.get('filePath');
  const file = trimBlanks((named ?? path ?? '').trim()).replace(/^\.\//, '');
  if (!/[./]/.test(file) && !isPathLike(file)) return undefined;
  const section = sectionOf(type, file, inner, fields);
  if (section === undefined) return undefined;
  // Where the same tag is closed once more before another is opened, the text holds it.
  const next = end + close.length;
  const again = text.indexOf(close, next);
  const reopened = text.indexOf(`<${name}`, next);
  if (again >= 0 && (reopened < 0 || again < reopened)) {
    section.problem = `${quote(file)}: it is unclear where its text ends; it holds ${close}`;
  }
  return { section, next };
}

function sectionOf(
  type: Section['type'] | 'any',
  path: string,
  inner: string,
  fields: ReadonlyMap<string, string>,
): Section | undefined {
  const command = fields.get('command')?.trim().toLowerCase();
  if (command === 'view' || command === 'undo_edit') return undefined;
  if (command === 'insert') {
    return {
      ...newSection('edit', path),
      problem: `${quote(path)}: lines cannot be put in by number`,
    };
  }
  if (type === 'delete') return newSection('delete', path);
  const before =
    fields.get('old_str') ??
    fields.get('old_string') ??
    fields.get('old_text') ??
    fields.get('search');
  const after =
    fields.get('new_str') ??
    fields.get('new_string') ??
    fields.get('new_text') ??
    fields.get('replace');
  const kind = type === 'create' || command === 'create' ? 'create' : 'edit';
  if (before !== undefined) {
    // Several pairs in one element are ambiguous.
    if (count(inner, '<search>') > 1 || count(inner, '<old_str>') > 1) return pairsOf(path, inner);
    return {
      ...newSection('edit', path),
      edits: [editOf(before, after ?? '')],
    };
  }
  const content = fields.get('content') ?? fields.get('contents') ?? fields.get('file_text');
  const text = fields.get('diff') ?? content ?? (fields.size === 0 ? inner : undefined);
  if (text === undefined) return undefined;
  const marked = readMarked(lineText(text));
  if (marked.kind === 'edits') return { ...newSection('edit', path), edits: marked.edits };
  if (
    marked.kind === 'problem' ||
    fields.has('diff') ||
    (type === 'edit' && content === undefined)
  ) {
    const problem = marked.kind === 'problem' ? marked.problem : 'its changes are not understood';
    return { ...newSection('edit', path), problem: `${quote(path)}: ${problem}` };
  }
  const whole = lineText(text);
  return {
    ...newSection(kind, path),
    content: whole === '' ? '' : `${whole}\n`,
  };
}

function pairsOf(path: string, inner: string): Section {
  const section = newSection('edit', path);
  for (const piece of inner.split(/<\/(?:replace|new_str)>/)) {
    const fields = fieldsOf(`${piece}</replace></new_str>`);
    const before = fields.get('search') ?? fields.get('old_str');
    const after = fields.get('replace') ?? fields.get('new_str');
    if (before === undefined || after === undefined) continue;
    section.edits.push(editOf(before, after));
  }
  return section;
}

/** <path>..</path>, <parameter name="path">..</parameter> and <parameter=path>..</parameter>. */
function fieldsOf(inner: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const name of FIELDS) {
    const forms = [
      [`<${name}>`, `</${name}>`],
      [`<parameter name="${name}">`, '</parameter>'],
      [`<parameter=${name}>`, '</parameter>'],
    ] as const;
    for (const [open, close] of forms) {
      const at = inner.indexOf(open);
      const end = at < 0 ? -1 : inner.indexOf(close, at);
      if (end >= 0 && !fields.has(name)) fields.set(name, inner.slice(at + open.length, end));
    }
  }
  return fields;
}

function attributeOf(attributes: string, names: readonly string[]): string | undefined {
  for (const name of names) {
    for (const mark of ['"', "'"]) {
      const open = ` ${name}=${mark}`;
      const at = attributes.indexOf(open);
      const end = at < 0 ? -1 : attributes.indexOf(mark, at + open.length);
      if (end >= 0) return attributes.slice(at + open.length, end);
    }
  }
  return undefined;
}

/** Texts that begin below their tags are lines; next to them, they may be a part of one. */
function editOf(before: string, after: string): TextEdit {
  const [oldText, newText] = [lineText(before), lineText(after)];
  return /^[ \t]*\r?\n/.test(before) ? lineEdit(oldText, newText) : { oldText, newText };
}

/** Without the line breaks next to the tags, and the marks of text that is taken as it is. */
function lineText(raw: string): string {
  let text = raw.replace(/^[ \t]*\r?\n/, '');
  if (text.trimStart().startsWith('<![CDATA[') && text.trimEnd().endsWith(']]>')) {
    text = text.trimStart().slice(9);
    text = text
      .trimEnd()
      .slice(0, -3)
      .replace(/^\r?\n/, '');
  }
  const last = text.lastIndexOf('\n');
  return last >= 0 && text.slice(last + 1).trim() === '' ? text.slice(0, last) : text;
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
