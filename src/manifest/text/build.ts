// From the parser's events to values. Whatever is wrong is noted and left out, so that one mistake
// does not hide the next; only what goes beyond a limit ends the reading.
import { EVENT_ID, SCALAR_STYLE, getScalarValue } from 'js-yaml';
import type { AliasEvent, Event, MappingEvent, ScalarEvent, SequenceEvent } from 'js-yaml';
import { createAnchors } from './anchors.ts';
import type { Anchor } from './anchors.ts';
import { badKey, badMerge, badTag, duplicateKey, tooManyMerged } from './build-findings.ts';
import { childrenOf, eventOffset } from './event-tree.ts';
import type { Child } from './event-tree.ts';
import { createLineIndex } from './line-index.ts';
import type { ManifestLimits } from './limits.ts';
import type { Finding, ProblemList } from './problem-list.ts';
import { coreTag, resolvePlain, resolveTagged } from './scalars.ts';
import { tooManyValues } from './scan.ts';
import { isMapping } from './values.ts';
import type { Mapping, Value } from './values.ts';

/** A mapping or list that is being read. */
interface Frame {
  /** The event it began with. */
  at: number;
  value: Value[] | Mapping;
  /** Its tag was refused: read on for what is in it, but it is no value. */
  isRefused: boolean;
  nodes: number;
  anchor: Anchor | undefined;
  /** In a mapping: between a key and its value. */
  hasKey: boolean;
  /** Undefined for a key that was refused. */
  key: string | undefined;
  keyOffset: number;
  isMerge: boolean;
  /** Keys that came by `<<` and give way to one written down. */
  merged: Set<string> | undefined;
}

type NodeEvent = ScalarEvent | SequenceEvent | MappingEvent;

export interface BuildOptions {
  source: string;
  events: readonly Event[];
  limits: ManifestLimits;
  problems: ProblemList;
}

/** The value of the first document; undefined after a problem that ends the reading. */
export function buildValue({ source, events, limits, problems }: BuildOptions): Value {
  const anchors = createAnchors(limits);
  const stack: Frame[] = [];
  const toPosition = createLineIndex(source);
  const listed = new Map<number, Map<string | number, Child>>();
  let root: Value;
  let isEnded = false;
  let nodes = 0;
  let mergedKeys = 0;

  const refuse = (finding: Finding) => problems.error(() => ({ ...finding, path: pathHere() }));
  const end = (finding: Finding) => {
    isEnded = true;
    refuse(finding);
  };

  /** Of the value that comes next; of the mapping itself while a key is awaited. */
  function pathHere(): (string | number)[] {
    const path: (string | number)[] = [];
    for (const { value, hasKey, key } of stack) {
      if (Array.isArray(value)) path.push(value.length);
      else if (hasKey && key !== undefined) path.push(key);
    }
    return path;
  }

  function keepAnchor(event: NodeEvent, anchor: Anchor): Anchor | undefined {
    if (event.anchorStart < 0) return undefined;
    anchors.keep(source.slice(event.anchorStart, event.anchorEnd), anchor);
    return anchor;
  }

  function isTagRefused(event: SequenceEvent | MappingEvent, wanted: string): boolean {
    if (event.tagStart < 0) return false;
    const tag = source.slice(event.tagStart, event.tagEnd);
    if (tag === '!' || coreTag(tag) === wanted) return false;
    refuse(badTag(tag, event.tagStart));
    return true;
  }

  function open(event: SequenceEvent | MappingEvent, at: number): void {
    const isList = event.type === EVENT_ID.SEQUENCE;
    const value: Value[] | Mapping = isList ? [] : new Map<string, Value>();
    const isRefused = isTagRefused(event, isList ? 'seq' : 'map');
    stack.push({
      at,
      value,
      isRefused,
      nodes: 1,
      anchor: keepAnchor(event, { value: isRefused ? undefined : value, nodes: 1, isOpen: true }),
      hasKey: false,
      key: undefined,
      keyOffset: 0,
      isMerge: false,
      merged: undefined,
    });
  }

  /** The mapping that waits for a key, if that is what comes next. */
  function awaitingKey(): Frame | undefined {
    const frame = stack.at(-1);
    return frame && !frame.hasKey && isMapping(frame.value) ? frame : undefined;
  }

  function setKey(frame: Frame, key: string | undefined, offset: number): void {
    frame.nodes += 1;
    frame.hasKey = true;
    frame.key = key;
    frame.keyOffset = offset;
    frame.isMerge = false;
  }

  function refuseKey(frame: Frame, message: string, offset: number): void {
    setKey(frame, undefined, offset);
    refuse(badKey(message, offset));
  }

  function readTagged(event: ScalarEvent, text: string): Value {
    const tag = source.slice(event.tagStart, event.tagEnd);
    const core = coreTag(tag);
    const value = core === undefined ? undefined : resolveTagged(text, core);
    if (value === undefined) refuse(badTag(tag, event.tagStart));
    return value;
  }

  function scalar(event: ScalarEvent, at: number): void {
    const text = getScalarValue(source, event);
    const isPlain = event.style === SCALAR_STYLE.PLAIN;
    const isTagged = event.tagStart >= 0;
    const value = isTagged ? readTagged(event, text) : isPlain ? resolvePlain(text) : text;
    keepAnchor(event, { value, nodes: 1, isOpen: false });
    const frame = awaitingKey();
    if (frame === undefined) {
      add(value, 1);
      return;
    }
    const offset = eventOffset(event) ?? offsetNear(events, at, frame.at);
    if (isPlain && text === '') refuseKey(frame, 'An entry has no key.', offset);
    // A key is what stands there, not what it would mean as a value.
    else setKey(frame, value === undefined ? undefined : text, offset);
    frame.isMerge = isPlain && !isTagged && text === '<<';
  }

  function add(value: Value, size: number): void {
    const frame = stack.at(-1);
    if (frame === undefined) {
      root = value;
      return;
    }
    frame.nodes += size;
    if (Array.isArray(frame.value)) frame.value.push(value);
    else addEntry(frame, frame.value, value);
  }

  function addEntry(frame: Frame, mapping: Mapping, value: Value): void {
    const { key } = frame;
    frame.hasKey = false;
    if (frame.isMerge) merge(frame, mapping, value);
    else if (key === undefined) return;
    else if (mapping.has(key) && !frame.merged?.delete(key)) reportDuplicate(frame, key);
    else mapping.set(key, value);
  }

  function reportDuplicate(frame: Frame, key: string): void {
    problems.error(() => {
      let children = listed.get(frame.at);
      if (!children) listed.set(frame.at, (children = childrenOf(source, events, frame.at)));
      const first = eventOffset(events[children.get(key)!.key]!) ?? 0;
      const finding = duplicateKey(key, frame.keyOffset, toPosition(first).line);
      return { ...finding, path: [...pathHere(), key] };
    });
  }

  function merge(frame: Frame, mapping: Mapping, value: Value): void {
    for (const from of Array.isArray(value) ? value : [value]) {
      if (from === undefined) continue;
      if (!isMapping(from)) {
        refuse(badMerge(from, frame.keyOffset));
        continue;
      }
      mergedKeys += from.size + 1;
      if (mergedKeys > limits.maxMergedKeys) {
        end(tooManyMerged(limits.maxMergedKeys, frame.keyOffset));
        return;
      }
      for (const [key, item] of from) {
        if (mapping.has(key)) continue;
        mapping.set(key, item);
        (frame.merged ??= new Set()).add(key);
      }
    }
  }

  function alias(event: AliasEvent): void {
    const offset = event.anchorStart - 1;
    const found = anchors.resolve(source.slice(event.anchorStart, event.anchorEnd), offset);
    if (found.kind === 'limit') {
      end(found.finding);
      return;
    }
    if (found.kind === 'problem') refuse(found.finding);
    const { value, nodes: size } =
      found.kind === 'value' ? found.anchor : { value: undefined, nodes: 1 };
    const frame = awaitingKey();
    if (frame === undefined) add(value, size);
    else if (value === undefined || typeof value === 'string') setKey(frame, value, offset);
    else refuseKey(frame, 'An alias used as a key must refer to text.', offset);
  }

  function close(): void {
    const closed = stack.pop();
    // The document itself has no frame.
    if (closed === undefined) return;
    if (closed.anchor) {
      closed.anchor.nodes = closed.nodes;
      closed.anchor.isOpen = false;
    }
    const frame = awaitingKey();
    if (frame === undefined) {
      add(closed.isRefused ? undefined : closed.value, closed.nodes);
      return;
    }
    frame.nodes += closed.nodes;
    const offset = eventOffset(events[closed.at]!) ?? 0;
    refuseKey(frame, 'A mapping or a list cannot be a key.', offset);
  }

  // The first event is the document's.
  for (let at = 1; at < events.length && !isEnded; at++) {
    const event = events[at]!;
    if (event.type === EVENT_ID.DOCUMENT) break;
    if (event.type === EVENT_ID.POP) {
      close();
      continue;
    }
    nodes += 1;
    if (nodes > limits.maxNodes) end(tooManyValues(limits));
    else if (event.type === EVENT_ID.SCALAR) scalar(event, at);
    else if (event.type === EVENT_ID.ALIAS) alias(event);
    else open(event, at);
  }
  return isEnded ? undefined : root;
}

/** An empty key stands nowhere itself: its value must do, or the mapping it is in. */
function offsetNear(events: readonly Event[], at: number, mappingAt: number): number {
  return eventOffset(events[at + 1]!) ?? eventOffset(events[mappingAt]!) ?? 0;
}
