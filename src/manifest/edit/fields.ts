// Changes to one mapping: which bytes to replace so that a field is set, gone or longer.
import { LayoutProblem } from './edit-error.ts';
import type { Quoting } from './scalar.ts';
import { writeList, writeScalar, writeText } from './scalar.ts';
import { lineEnd, nextLine, paddingAt, skipBlank } from './scan.ts';
import type { Splice } from './splice.ts';
import type { MappingNode, Node, Pair, SequenceNode } from './tree.ts';

export interface Layout {
  text: string;
  lineBreak: string;
  quoting: Quoting;
}

export function insertAt(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

export function findPair(mapping: MappingNode, name: string): Pair | undefined {
  return mapping.pairs.find(({ key }) => key.kind === 'scalar' && key.value === name);
}

function refuseProperties(node: Node, what: string): void {
  if (node.kind === 'alias') {
    throw new LayoutProblem(
      `${what} is an alias (*); replace it with the value itself to edit it here.`,
      node.start,
    );
  }
  if (node.hasProperties) {
    throw new LayoutProblem(
      `${what} has an anchor (&) or a tag (!); remove it to edit this here.`,
      node.start,
    );
  }
}

export function checkPair({ text }: Layout, pair: Pair, name: string): void {
  refuseProperties(pair.key, `The key of '${name}'`);
  refuseProperties(pair.value, `'${name}'`);
  const isExplicit = text.slice(0, pair.key.start).trimEnd().endsWith('?');
  if (isExplicit && pair.key.start > 0) {
    throw new LayoutProblem(`'${name}' is written with '?'; write '${name}:'.`, pair.key.start);
  }
}

/** Puts new text in place of a value, which may be missing or go over several lines. */
export function replaceValue(
  { text }: Layout,
  { key, value, colon }: Pair,
  written: string,
): Splice[] {
  if (value.kind === 'scalar' && value.style === 'empty') {
    return [insertAt(colon < 0 ? key.end : colon + 1, colon < 0 ? `: ${written}` : ` ${written}`)];
  }
  if (value.kind === 'scalar' && value.style === 'block') {
    // A comment behind the header stays.
    const contentStart = lineEnd(text, value.headerEnd);
    const splices = [{ start: value.start, end: value.headerEnd, text: written }];
    const hasContent = value.end > contentStart;
    return hasContent ? [...splices, { start: contentStart, end: value.end, text: '' }] : splices;
  }
  return [{ start: value.start, end: value.end, text: written }];
}

function endsInBlock(node: Node): boolean {
  if (node.kind === 'scalar') return node.style === 'block';
  const last =
    node.kind === 'mapping'
      ? node.pairs.at(-1)?.value
      : node.kind === 'sequence' && node.items.at(-1);
  return last ? endsInBlock(last) : false;
}

/** A new line below the one on which something ends. */
export function insertLine({ text, lineBreak }: Layout, after: number, line: string): Splice {
  const next = nextLine(text, after);
  const isLast = next === text.length && text[next - 1] !== '\n';
  return insertAt(next, isLast ? lineBreak + line : line + lineBreak);
}

/** In a flow collection, behind its last entry; on a line of its own if that one has one. */
export function insertInFlow(
  { text, lineBreak }: Layout,
  collection: { start: number },
  last: { start: number; end: number } | undefined,
  written: string,
): Splice {
  if (last === undefined) return insertAt(collection.start + 1, written);
  const padding = last.start > 0 ? paddingAt(text, last.start) : undefined;
  const hasOwnLine = padding !== undefined && text.lastIndexOf('\n', last.start) > collection.start;
  return insertAt(last.end, hasOwnLine ? `,${lineBreak}${padding}${written}` : `, ${written}`);
}

export function insertPair(layout: Layout, mapping: MappingNode, written: string): Splice[] {
  const { pairs, isFlow } = mapping;
  const last = pairs.at(-1);
  if (isFlow) {
    const end = last && { start: last.key.start, end: last.value.end };
    return [insertInFlow(layout, mapping, end, written)];
  }
  const first = pairs[0]!;
  const padding = paddingAt(layout.text, first.key.start);
  if (padding === undefined) {
    throw new LayoutProblem('Its first field must start on its own line.', first.key.start);
  }
  // Below the last field that is not a long text: state is easier to find above than under one.
  const above = pairs.findLast(({ value }) => !endsInBlock(value));
  if (above) return [insertLine(layout, above.value.end, padding + written)];
  return [insertAt(first.key.start, written + layout.lineBreak + padding)];
}

export function writeKey(name: string, { quoting }: Layout): string {
  return writeText(name, quoting);
}

export function setField(
  layout: Layout,
  mapping: MappingNode,
  name: string,
  value: string | number,
): Splice[] {
  const written = writeScalar(value, layout.quoting);
  const pair = findPair(mapping, name);
  if (!pair) return insertPair(layout, mapping, `${writeKey(name, layout)}: ${written}`);
  checkPair(layout, pair, name);
  if (pair.value.kind !== 'scalar') {
    throw new LayoutProblem(`'${name}' must be a single value.`, pair.value.start);
  }
  return replaceValue(layout, pair, written);
}

/** Takes a pair out together with its comma, or with its lines. */
export function removePair(layout: Layout, mapping: MappingNode, pair: Pair): Splice[] {
  const { text } = layout;
  const { start } = pair.key;
  const { end } = pair.value;
  if (!mapping.isFlow) {
    const padding = paddingAt(text, start);
    if (padding === undefined) {
      throw new LayoutProblem('The field to remove must start on its own line.', start);
    }
    return [{ start: start - padding.length, end: nextLine(text, end), text: '' }];
  }
  const after = skipBlank(text, end);
  if (text[after] === ',') {
    const spaces = /^[ \t]*/.exec(text.slice(after + 1))![0].length;
    return [
      { start, end, text: '' },
      { start: after, end: after + 1 + spaces, text: '' },
    ];
  }
  const before = mapping.pairs[mapping.pairs.indexOf(pair) - 1];
  if (!before) return [{ start, end, text: '' }];
  const comma = skipBlank(text, before.value.end);
  if (text.slice(comma + 1, start).trim() === '') return [{ start: comma, end, text: '' }];
  return [
    { start: comma, end: comma + 1, text: '' },
    { start, end, text: '' },
  ];
}

export function removeField(layout: Layout, mapping: MappingNode, name: string): Splice[] {
  const pair = findPair(mapping, name);
  if (!pair) return [];
  checkPair(layout, pair, name);
  return removePair(layout, mapping, pair);
}

function extendList(layout: Layout, list: SequenceNode, items: readonly string[]): Splice[] {
  const written = items.map((item) => writeText(item, layout.quoting));
  const last = list.items.at(-1);
  if (list.isFlow) return [insertInFlow(layout, list, last, written.join(', '))];
  const padding = paddingAt(layout.text, list.start);
  if (padding === undefined || last === undefined || endsInBlock(last)) {
    throw new LayoutProblem(`This list layout cannot be extended; write it as [a, b].`, list.start);
  }
  const lines = written.map((item) => `${padding}- ${item}`).join(layout.lineBreak);
  return [insertLine(layout, last.end, lines)];
}

/** Adds those that are not in the list yet. */
export function addToList(
  layout: Layout,
  mapping: MappingNode,
  name: string,
  items: readonly string[],
): Splice[] {
  const pair = findPair(mapping, name);
  if (pair) checkPair(layout, pair, name);
  const value = pair?.value;
  const present = value?.kind === 'sequence' ? value.items : [];
  const known = new Set(present.map((item) => (item.kind === 'scalar' ? item.value : undefined)));
  const missing = [...new Set(items)].filter((item) => !known.has(item));
  if (missing.length === 0) return [];
  if (value?.kind === 'sequence') return extendList(layout, value, missing);
  const list = writeList(missing, layout.quoting);
  if (!pair) return insertPair(layout, mapping, `${writeKey(name, layout)}: ${list}`);
  if (!isNothing(pair.value)) {
    throw new LayoutProblem(`'${name}' must be a list.`, pair.value.start);
  }
  return replaceValue(layout, pair, list);
}

/** Left out, `~` or `null`. */
export function isNothing(node: Node): boolean {
  if (node.kind !== 'scalar') return false;
  return (
    node.style === 'empty' || (node.style === 'plain' && /^(?:~|null|Null|NULL)$/.test(node.value))
  );
}
