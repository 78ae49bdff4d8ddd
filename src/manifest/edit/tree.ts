// The tree of a YAML text with the place of every value in it. The parser says where values begin;
// where a value ends is worked out here, because that is where new text goes.
import {
  CHOMPING_MODE,
  COLLECTION_STYLE,
  EVENT_ID,
  SCALAR_STYLE,
  getScalarValue,
  parseEvents,
} from 'js-yaml';
import { skipBlank } from './scan.ts';

type Event = ReturnType<typeof parseEvents>[number];
type ScalarEvent = Extract<Event, { type: typeof EVENT_ID.SCALAR }>;
type CollectionEvent = Extract<Event, { type: typeof EVENT_ID.MAPPING | typeof EVENT_ID.SEQUENCE }>;

interface TextRange {
  start: number;
  end: number;
  /** An anchor or a tag: what is written there means more than it says. */
  hasProperties: boolean;
}

export interface ScalarNode extends TextRange {
  kind: 'scalar';
  style: 'plain' | 'quoted' | 'block' | 'empty';
  isDoubleQuoted: boolean;
  value: string;
  /** Of a block: where its header's indicators end. */
  headerEnd: number;
}

export interface Pair {
  key: Node;
  value: Node;
  /** The place of the colon; -1 in a flow mapping that leaves it out. */
  colon: number;
}

export interface MappingNode extends TextRange {
  kind: 'mapping';
  isFlow: boolean;
  pairs: Pair[];
}

export interface SequenceNode extends TextRange {
  kind: 'sequence';
  isFlow: boolean;
  items: Node[];
}

export interface AliasNode extends TextRange {
  kind: 'alias';
}

export type Node = ScalarNode | MappingNode | SequenceNode | AliasNode;

interface Reader {
  text: string;
  events: readonly Event[];
  at: number;
}

/** The first document's value; undefined when there is none. */
export function readTree(text: string): Node | undefined {
  const reader = { text, events: parseEvents(text, {}), at: 1 };
  const first = reader.events[1];
  return first === undefined || first.type === EVENT_ID.POP ? undefined : readNode(reader, 0);
}

/** `from` is where the value can begin at the earliest. */
function readNode(reader: Reader, from: number): Node {
  const event = reader.events[reader.at++]!;
  if (event.type === EVENT_ID.SCALAR) return readScalar(reader, event, from);
  if (event.type === EVENT_ID.MAPPING) return readMapping(reader, event);
  if (event.type === EVENT_ID.SEQUENCE) return readSequence(reader, event);
  if (event.type === EVENT_ID.ALIAS) {
    const { anchorStart, anchorEnd } = event;
    return { kind: 'alias', start: anchorStart - 1, end: anchorEnd, hasProperties: true };
  }
  throw new Error('The parser closed something that it had not opened');
}

function hasProperties(event: ScalarEvent | CollectionEvent): boolean {
  return event.anchorStart >= 0 || event.tagStart >= 0;
}

function readScalar({ text }: Reader, event: ScalarEvent, from: number): ScalarNode {
  const { style, valueStart, valueEnd } = event;
  const node = {
    kind: 'scalar' as const,
    isDoubleQuoted: style === SCALAR_STYLE.DOUBLE_QUOTED,
    hasProperties: hasProperties(event),
    value: getScalarValue(text, event),
    headerEnd: -1,
  };
  if (valueStart < 0) {
    const end = Math.max(from, event.anchorEnd, event.tagEnd);
    return { ...node, style: 'empty', start: end, end };
  }
  if (style === SCALAR_STYLE.PLAIN) {
    return { ...node, style: 'plain', start: valueStart, end: valueEnd };
  }
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED) {
    return { ...node, style: 'quoted', start: valueStart - 1, end: valueEnd + 1 };
  }
  const start = skipBlank(text, Math.max(from, event.anchorEnd, event.tagEnd));
  let headerEnd = start + 1;
  while (/[-+0-9]/.test(text[headerEnd] ?? '')) headerEnd++;
  // Empty lines at the end belong to the value only if it says so.
  const content = text.slice(valueStart, valueEnd);
  const trimmed =
    event.chomping === CHOMPING_MODE.KEEP
      ? content.replace(/\r?\n$/, '')
      : content.replace(/(?<![\r\n])[\r\n]+$/, '');
  const end = trimmed === '' ? headerEnd : valueStart + trimmed.length;
  return { ...node, style: 'block', start, end, headerEnd };
}

function isPop(reader: Reader): boolean {
  return reader.events[reader.at]!.type === EVENT_ID.POP;
}

/** Past the closing bracket of a flow collection. */
function closeFlow(text: string, from: number, close: string): number {
  let at = skipBlank(text, from);
  while (text[at] === ',') at = skipBlank(text, at + 1);
  return text[at] === close ? at + 1 : from;
}

function readMapping(reader: Reader, event: CollectionEvent): MappingNode {
  const { text } = reader;
  const { start } = event;
  const isFlow = event.style === COLLECTION_STYLE.FLOW;
  // A pair in a list may be a mapping without brackets.
  const isBracketed = isFlow && text[start] === '{';
  const pairs: Pair[] = [];
  let at = isBracketed ? start + 1 : start;
  while (!isPop(reader)) {
    const key = readNode(reader, at);
    const next = skipBlank(text, key.end);
    const colon = text[next] === ':' ? next : -1;
    const value = readNode(reader, colon < 0 ? key.end : colon + 1);
    pairs.push({ key, value, colon });
    at = value.end;
  }
  reader.at += 1;
  const end = isBracketed ? closeFlow(text, at, '}') : at;
  return { kind: 'mapping', start, end, isFlow, pairs, hasProperties: hasProperties(event) };
}

function readSequence(reader: Reader, event: CollectionEvent): SequenceNode {
  const { text } = reader;
  const { start } = event;
  const isFlow = event.style === COLLECTION_STYLE.FLOW;
  const items: Node[] = [];
  let at = isFlow ? start + 1 : start;
  while (!isPop(reader)) {
    // Past the dash: that is where an empty item ends.
    const item = readNode(reader, isFlow ? at : skipBlank(text, at) + 1);
    items.push(item);
    at = item.end;
  }
  reader.at += 1;
  const end = isFlow ? closeFlow(text, at, ']') : at;
  return { kind: 'sequence', start, end, isFlow, items, hasProperties: hasProperties(event) };
}

/** Whether an anchor is set anywhere in it. */
export function hasAnchorInside(node: Node): boolean {
  if (node.hasProperties && node.kind !== 'alias') return true;
  if (node.kind === 'sequence') return node.items.some(hasAnchorInside);
  if (node.kind !== 'mapping') return false;
  return node.pairs.some(({ key, value }) => hasAnchorInside(key) || hasAnchorInside(value));
}
