// Changes to lists and long texts of one mapping: entries taken out or replaced, texts of several lines.
import { LayoutProblem } from './edit-error.ts';
import {
  checkPair,
  findPair,
  insertAt,
  insertPair,
  removePair,
  replaceValue,
  setField,
  writeKey,
} from './fields.ts';
import type { Layout } from './fields.ts';
import { writeBlock, writeText } from './scalar.ts';
import { lineEnd, nextLine, paddingAt, skipBlank } from './scan.ts';
import type { Splice } from './splice.ts';
import type { MappingNode, Node, Pair, SequenceNode } from './tree.ts';

const isText = (node: Node, text: string) => node.kind === 'scalar' && node.value === text;

function refuseMarked(item: Node): void {
  if (!item.hasProperties) return;
  const problem = 'The entry has an anchor (&) or a tag (!); remove it to edit this here.';
  throw new LayoutProblem(problem, item.start);
}

/** The pair and its list; undefined when the field is missing or holds no list. */
function findList(
  layout: Layout,
  mapping: MappingNode,
  name: string,
): { pair: Pair; list: SequenceNode } | undefined {
  const pair = findPair(mapping, name);
  if (!pair) return undefined;
  checkPair(layout, pair, name);
  return pair.value.kind === 'sequence' ? { pair, list: pair.value } : undefined;
}

/** Entries with their commas; a comment between two of them stays. */
function flowSplices(
  { text }: Layout,
  { items }: SequenceNode,
  gone: ReadonlySet<number>,
): Splice[] {
  const splices = [...gone].flatMap((at): Splice[] => {
    const { start, end } = items[at]!;
    const comma = skipBlank(text, end);
    if (text[comma] !== ',') return [{ start, end, text: '' }];
    const next = skipBlank(text, comma + 1);
    const between = text.slice(end, comma) + text.slice(comma + 1, next);
    if (between.trim() === '') return [{ start, end: next, text: '' }];
    return [
      { start, end, text: '' },
      { start: comma, end: comma + 1, text: '' },
    ];
  });
  const last = items.length - 1;
  const kept = [...items.keys()].findLast((at) => !gone.has(at));
  const endsInComma = text[skipBlank(text, items[last]!.end)] === ',';
  if (kept === undefined || kept === last || endsInComma) return splices;
  const comma = skipBlank(text, items[kept]!.end);
  const next = items[kept + 1]!.start;
  const isBlank = text.slice(comma + 1, next).trim() === '';
  return [...splices, { start: comma, end: isBlank ? next : comma + 1, text: '' }];
}

/** The line of an entry, from its dash on. */
function blockSplice({ text }: Layout, list: SequenceNode, at: number): Splice {
  const dash = at === 0 ? list.start : skipBlank(text, list.items[at - 1]!.end);
  const padding = paddingAt(text, dash);
  if (padding === undefined || text[dash] !== '-') {
    throw new LayoutProblem('The entry to remove must start on its own line.', dash);
  }
  return { start: dash - padding.length, end: nextLine(text, list.items[at]!.end), text: '' };
}

/** Whether a comment is on the lines of a pair: then more than the field is there. */
function hasComment({ text }: Layout, { colon, value }: Pair, { items }: SequenceNode): boolean {
  let at = colon + 1;
  const gaps = items.map((item) => {
    const gap = text.slice(at, item.start);
    at = item.end;
    return gap;
  });
  return [...gaps, text.slice(at, lineEnd(text, value.end))].some((gap) => gap.includes('#'));
}

/** The list without any entry: the field goes, unless comments are in it or it is the only one. */
function emptied(
  layout: Layout,
  mapping: MappingNode,
  { pair, list }: { pair: Pair; list: SequenceNode },
): Splice[] {
  const isOnly = mapping.pairs.length === 1 && !mapping.isFlow;
  if (!isOnly && !hasComment(layout, pair, list)) return removePair(layout, mapping, pair);
  const places = [...list.items.keys()];
  if (list.isFlow) return flowSplices(layout, list, new Set(places));
  return [insertAt(pair.colon + 1, ' []'), ...places.map((at) => blockSplice(layout, list, at))];
}

/** Takes every entry with this text out of a list. */
export function removeFromList(
  layout: Layout,
  mapping: MappingNode,
  name: string,
  entry: string,
): Splice[] {
  const found = findList(layout, mapping, name);
  if (!found) return [];
  const { list } = found;
  const places = [...list.items.keys()].filter((at) => isText(list.items[at]!, entry));
  for (const at of places) refuseMarked(list.items[at]!);
  if (places.length === 0) return [];
  if (places.length === list.items.length) return emptied(layout, mapping, found);
  return list.isFlow
    ? flowSplices(layout, list, new Set(places))
    : places.map((at) => blockSplice(layout, list, at));
}

/** Writes another text in place of every entry with this one. */
export function replaceInList(
  layout: Layout,
  mapping: MappingNode,
  name: string,
  change: { from: string; to: string },
): Splice[] {
  const found = findList(layout, mapping, name);
  if (!found) return [];
  return found.list.items
    .filter((item) => isText(item, change.from))
    .map((item) => {
      refuseMarked(item);
      const { start, end } = item;
      return { start, end, text: writeText(change.to, layout.quoting) };
    });
}

/** As lines of its own under the key, where the layout has room for them and they read back exactly. */
export function setLongText(
  layout: Layout,
  mapping: MappingNode,
  field: { name: string; value: string; step: string },
): Splice[] {
  const { name, value, step } = field;
  const first = mapping.pairs[0];
  const padding = first && !mapping.isFlow ? paddingAt(layout.text, first.key.start) : undefined;
  const block =
    padding === undefined ? undefined : writeBlock(value, padding + step, layout.lineBreak);
  if (block === undefined) return setField(layout, mapping, name, value);
  const pair = findPair(mapping, name);
  if (!pair) return insertPair(layout, mapping, `${writeKey(name, layout)}: ${block}`);
  checkPair(layout, pair, name);
  if (pair.value.kind !== 'scalar') {
    throw new LayoutProblem(`'${name}' must be a single value.`, pair.value.start);
  }
  const headEnd = block.indexOf(layout.lineBreak);
  const lines = block.slice(headEnd);
  // Behind the header, and behind a comment that follows the value.
  const isLong = pair.value.style === 'block';
  const at = lineEnd(layout.text, isLong ? pair.value.headerEnd : pair.value.end);
  const head = replaceValue(layout, pair, block.slice(0, headEnd));
  return isLong && pair.value.end > at
    ? [...head.slice(0, 1), { start: at, end: pair.value.end, text: lines }]
    : [...head, insertAt(at, lines)];
}
