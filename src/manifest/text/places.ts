// Lines and columns of values. Nothing is looked up until a caller asks; then each mapping on the
// way is listed once and remembered.
import { EVENT_ID, parseEvents } from 'js-yaml';
import type { Event } from 'js-yaml';
import type { ValuePath } from '../problem.ts';
import { childrenOf, eventOffset, isShownByKey } from './event-tree.ts';
import type { Child } from './event-tree.ts';
import { createLineIndex } from './line-index.ts';
import type { Position } from './line-index.ts';
import type { Locator } from './problem-list.ts';

export interface Places {
  /** Of a value, or of the nearest one around it that is in the text. */
  of(path: ValuePath): Position;
}

interface Found {
  key: number;
  value: number;
}

export function createLocator(source: string, events: readonly Event[]): Locator {
  const toPosition = createLineIndex(source);
  const listed = new Map<number, Map<string | number, Child>>();

  function children(at: number): Map<string | number, Child> {
    const known = listed.get(at);
    if (known) return known;
    const found = childrenOf(source, events, at);
    listed.set(at, found);
    return found;
  }

  function find(path: ValuePath): Found | undefined {
    const root = events.findIndex((event) => event.type !== EVENT_ID.DOCUMENT);
    let found: Found | undefined = root < 0 ? undefined : { key: root, value: root };
    for (const step of path) {
      if (found === undefined) return undefined;
      const event = events[found.value];
      if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE) return found;
      const child = children(found.value).get(step);
      if (child === undefined) return found;
      found = child;
    }
    return found;
  }

  function offsetOf({ key, value }: Found, wantsKey: boolean): number {
    const event = events[value]!;
    const atKey = eventOffset(events[key]!);
    if (wantsKey || isShownByKey(event)) return atKey ?? eventOffset(event) ?? 0;
    return eventOffset(event) ?? atKey ?? 0;
  }

  function position(path: ValuePath, wantsKey: boolean): Position {
    const found = find(path);
    return toPosition(found === undefined ? 0 : offsetOf(found, wantsKey));
  }

  return {
    of: (path) => position(path, false),
    ofKey: (path) => position(path, true),
    at: toPosition,
  };
}

/**
 * Places for later: the text is parsed once more when a caller asks, because keeping what the parser
 * made of it would cost several times the memory of the manifest.
 */
export function createPlaces(source: string, maxDepth: number): Places {
  let locator: Locator | undefined;
  return {
    of(path) {
      locator ??= createLocator(source, parseEvents(source, { maxDepth }));
      return locator.of(path);
    },
  };
}
