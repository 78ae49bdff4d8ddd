// One entry of a JSON file, changed by a splice: formatters would touch the lines around it.
import { getNodeValue } from 'jsonc-parser';
import type { Node } from 'jsonc-parser';
import type { Splice } from '../../../../manifest/edit/splice.ts';
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
} from './lines.ts';

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
  if (first) return !hasLineBreak(source.slice(object.offset, first.start));
  const around = object.parent?.parent;
  return around !== undefined && isInline(source, around);
}

/** One step of indentation, as the first property of the whole document has it. */
function unitOf(source: string, root: Node): string {
  const [first] = propertiesOf(root);
  return (first && indentAt(source, first.start)) || USUAL_UNIT;
}

function layoutIn(source: string, root: Node, object: Node): Layout {
  const outer = indentAt(source, object.offset);
  const unit = unitOf(source, root);
  const last = propertiesOf(object).at(-1);
  return {
    isInline: isInline(source, object),
    indent: last ? indentAt(source, last.start) : outer + unit,
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
): Splice[] {
  const text = propertyText(name, value, layout);
  const { isInline: inline, lineBreak, indent, outer } = layout;
  const last = propertiesOf(object).at(-1);
  if (last === undefined) {
    const at = object.offset + 1;
    const inner = source.slice(at, object.offset + object.length - 1);
    if (inline) return [{ start: at, end: at, text }];
    const closing = hasLineBreak(inner) ? '' : lineBreak + outer;
    return [{ start: at, end: at, text: lineBreak + indent + text + closing }];
  }
  const comma = endOfComma(source, last.end);
  if (inline) {
    const at = comma ?? last.end;
    return [{ start: at, end: at, text: comma === undefined ? `,${text}` : `${text},` }];
  }
  const at = endOfComments(source, comma ?? last.end);
  const added = { start: at, end: at, text: lineBreak + indent + text };
  // A file with a comma behind the last one keeps it so.
  if (comma !== undefined) return [{ ...added, text: `${added.text},` }];
  if (at === last.end) return [{ ...added, text: `,${added.text}` }];
  return [{ start: last.end, end: last.end, text: ',' }, added];
}

function set(source: string, [container, name]: EntryPath, entry: Entry): Splice[] {
  const root = readObject(source);
  if (root === undefined) {
    const lineBreak = lineBreakOf(source);
    const isEnded = source === '' || isLineBreak(source.at(-1));
    const text = document([container, name], entry).replaceAll('\n', lineBreak);
    return [{ start: source.length, end: source.length, text: (isEnded ? '' : lineBreak) + text }];
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
  const own = { ...layout, indent: indentAt(source, old.start) };
  return [{ start: offset, end: offset + length, text: written(entry, own) }];
}

function skipBlanks(source: string, start: number): number {
  let at = start;
  while (isBlank(source[at])) at += 1;
  return at;
}

/** With its comma, and with its lines when there is nothing else on them. */
function removeWithComma(source: string, { start }: Property, comma: number): Splice {
  const lineFrom = lineStart(source, start);
  const rest = skipBlanks(source, comma);
  const isAlone = source.slice(lineFrom, start).trim() === '' && isLineBreak(source[rest]);
  return isAlone
    ? { start: lineFrom, end: afterLineBreak(source, rest), text: '' }
    : { start, end: rest, text: '' };
}

/** The last one of its object, without a comma of its own. */
function removeLast(source: string, { start, end }: Property): Splice {
  const lineFrom = lineStart(source, start);
  const lineTo = lineEnd(source, end);
  const isAlone =
    source.slice(lineFrom, start).trim() === '' && source.slice(end, lineTo).trim() === '';
  return { start: isAlone ? beforeLineBreak(source, lineFrom) : start, end, text: '' };
}

function remove(source: string, [container, name]: EntryPath): Splice[] {
  const root = readObject(source);
  const servers = root && propertyOf(source, root, container);
  if (servers === undefined) return [];
  const object = objectIn(source, servers);
  const property = propertyOf(source, object, name);
  if (property === undefined) return [];
  const all = propertiesOf(object);
  const inner = { start: object.offset + 1, end: object.offset + object.length - 1 };
  const around = source.slice(inner.start, property.start) + source.slice(property.end, inner.end);
  const comma = endOfComma(source, property.end);
  if (around.replace(',', '').trim() === '') return [{ ...inner, text: '' }];
  if (comma !== undefined) return [removeWithComma(source, property, comma)];
  const previous = all[all.findIndex(({ start }) => start === property.start) - 1];
  const removed = removeLast(source, property);
  const commaBefore = previous && endOfComma(source, previous.end);
  if (commaBefore === undefined) return [removed];
  return [{ start: commaBefore - 1, end: commaBefore, text: '' }, removed];
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
