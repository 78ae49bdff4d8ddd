// One entry of a JSON file, changed by a splice: formatters would touch the lines around it.
import { getNodeValue } from 'jsonc-parser';
import type { Node } from 'jsonc-parser';
import type { ConfigFormat, Entry, EntryPath } from './config-edit.ts';
import {
  endOfComma,
  endOfComments,
  objectIn,
  propertiesOf,
  propertyOf,
  readObject,
} from './json-tree.ts';
import type { Property } from './json-tree.ts';
import {
  afterLineBreak,
  beforeLineBreak,
  indentAt,
  isBlank,
  isLineBreak,
  lineBreakOf,
  lineEnd,
  lineStart,
} from './text-edit.ts';
import type { TextEdit } from './text-edit.ts';

const USUAL_UNIT = '  ';

/** How the text that is added looks. */
interface Layout {
  isInline: boolean;
  /** Of the new property. */
  indent: string;
  /** Of the object that it goes into. */
  outer: string;
  unit: string;
  lineBreak: string;
}

function hasLineBreak(text: string): boolean {
  return text.includes('\n') || text.includes('\r');
}

/** An object without properties is written as the one around it. */
function isInline(source: string, object: Node): boolean {
  const [first] = propertiesOf(object);
  if (first) return !hasLineBreak(source.slice(object.offset, first.from));
  const around = object.parent?.parent;
  return around !== undefined && isInline(source, around);
}

/** One step of indentation, as the first property of the whole document has it. */
function unitOf(source: string, root: Node): string {
  const [first] = propertiesOf(root);
  return (first && indentAt(source, first.from)) || USUAL_UNIT;
}

function layoutIn(source: string, root: Node, object: Node): Layout {
  const outer = indentAt(source, object.offset);
  const unit = unitOf(source, root);
  const last = propertiesOf(object).at(-1);
  return {
    isInline: isInline(source, object),
    indent: last ? indentAt(source, last.from) : outer + unit,
    outer,
    unit,
    lineBreak: lineBreakOf(source),
  };
}

function written(value: unknown, layout: Layout): string {
  if (layout.isInline) return JSON.stringify(value);
  const lines = JSON.stringify(value, undefined, layout.unit).split('\n');
  return lines.join(layout.lineBreak + layout.indent);
}

function propertyText(name: string, value: unknown, layout: Layout): string {
  const colon = layout.isInline ? ':' : ': ';
  return JSON.stringify(name) + colon + written(value, layout);
}

/** Behind the last property, and behind what is said about that one on its line. */
function insert(
  source: string,
  object: Node,
  layout: Layout,
  [name, value]: [name: string, value: unknown],
): TextEdit[] {
  const text = propertyText(name, value, layout);
  const { isInline: inline, lineBreak, indent, outer } = layout;
  const last = propertiesOf(object).at(-1);
  if (last === undefined) {
    const at = object.offset + 1;
    const inner = source.slice(at, object.offset + object.length - 1);
    if (inline) return [{ from: at, to: at, text }];
    const closing = hasLineBreak(inner) ? '' : lineBreak + outer;
    return [{ from: at, to: at, text: lineBreak + indent + text + closing }];
  }
  const comma = endOfComma(source, last.to);
  if (inline) {
    const at = comma ?? last.to;
    return [{ from: at, to: at, text: comma === undefined ? `,${text}` : `${text},` }];
  }
  const at = endOfComments(source, comma ?? last.to);
  const added = { from: at, to: at, text: lineBreak + indent + text };
  // A file with a comma behind the last one keeps it so.
  if (comma !== undefined) return [{ ...added, text: `${added.text},` }];
  if (at === last.to) return [{ ...added, text: `,${added.text}` }];
  return [{ from: last.to, to: last.to, text: ',' }, added];
}

function set(source: string, [container, name]: EntryPath, entry: Entry): TextEdit[] {
  const root = readObject(source);
  if (root === undefined) {
    const lineBreak = lineBreakOf(source);
    const isEnded = source === '' || isLineBreak(source.at(-1));
    const text = document([container, name], entry).replaceAll('\n', lineBreak);
    return [{ from: source.length, to: source.length, text: (isEnded ? '' : lineBreak) + text }];
  }
  const servers = propertyOf(source, root, container);
  if (servers === undefined) {
    return insert(source, root, layoutIn(source, root, root), [container, { [name]: entry }]);
  }
  const object = objectIn(source, servers);
  const layout = layoutIn(source, root, object);
  const old = propertyOf(source, object, name);
  if (old === undefined) return insert(source, object, layout, [name, entry]);
  const { offset, length } = old.value;
  const own = { ...layout, indent: indentAt(source, old.from) };
  return [{ from: offset, to: offset + length, text: written(entry, own) }];
}

function skipBlanks(source: string, from: number): number {
  let at = from;
  while (isBlank(source[at])) at += 1;
  return at;
}

/** With its comma, and with its lines when there is nothing else on them. */
function removeWithComma(source: string, { from }: Property, comma: number): TextEdit {
  const start = lineStart(source, from);
  const rest = skipBlanks(source, comma);
  const isAlone = source.slice(start, from).trim() === '' && isLineBreak(source[rest]);
  return isAlone
    ? { from: start, to: afterLineBreak(source, rest), text: '' }
    : { from, to: rest, text: '' };
}

/** The last one of its object, without a comma of its own. */
function removeLast(source: string, { from, to }: Property): TextEdit {
  const start = lineStart(source, from);
  const end = lineEnd(source, to);
  const isAlone = source.slice(start, from).trim() === '' && source.slice(to, end).trim() === '';
  return { from: isAlone ? beforeLineBreak(source, start) : from, to, text: '' };
}

function remove(source: string, [container, name]: EntryPath): TextEdit[] {
  const root = readObject(source);
  const servers = root && propertyOf(source, root, container);
  if (servers === undefined) return [];
  const object = objectIn(source, servers);
  const property = propertyOf(source, object, name);
  if (property === undefined) return [];
  const all = propertiesOf(object);
  const inner = { from: object.offset + 1, to: object.offset + object.length - 1 };
  const around = source.slice(inner.from, property.from) + source.slice(property.to, inner.to);
  const comma = endOfComma(source, property.to);
  if (around.replace(',', '').trim() === '') return [{ ...inner, text: '' }];
  if (comma !== undefined) return [removeWithComma(source, property, comma)];
  const previous = all[all.findIndex(({ from }) => from === property.from) - 1];
  const removed = removeLast(source, property);
  const commaBefore = previous && endOfComma(source, previous.to);
  if (commaBefore === undefined) return [removed];
  return [{ from: commaBefore - 1, to: commaBefore, text: '' }, removed];
}

function document([container, name]: EntryPath, entry: Entry): string {
  return `${JSON.stringify({ [container]: { [name]: entry } }, undefined, USUAL_UNIT)}\n`;
}

/** As ordinary objects: those of the parser have no prototype. */
function plainValue(node: Node): unknown {
  return structuredClone<unknown>(getNodeValue(node));
}

function find(source: string, [container, name]: EntryPath): unknown {
  const root = readObject(source);
  const servers = root && propertyOf(source, root, container);
  const entry = servers && propertyOf(source, objectIn(source, servers), name);
  return entry && plainValue(entry.value);
}

function valueOf(source: string): Record<string, unknown> {
  const root = readObject(source);
  return root ? (plainValue(root) as Record<string, unknown>) : {};
}

export const JSON_FORMAT: ConfigFormat = { find, set, remove, document, valueOf };
