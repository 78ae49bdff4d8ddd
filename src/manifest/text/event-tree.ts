// Finding values in the parser's events: which children a mapping or list has, and where they begin.
import { COLLECTION_STYLE, EVENT_ID, SCALAR_STYLE, getScalarValue } from 'js-yaml';
import type { Event } from 'js-yaml';

export interface Child {
  /** Index of the key's event; that of the value itself in a list. */
  key: number;
  value: number;
}

/** Where a value, its tag or its anchor begins; undefined if it is empty and has neither. */
export function eventOffset(event: Event): number | undefined {
  switch (event.type) {
    case EVENT_ID.ALIAS:
      return event.anchorStart - 1;
    case EVENT_ID.SCALAR:
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING: {
      if (event.tagStart >= 0) return event.tagStart;
      if (event.anchorStart >= 0) return event.anchorStart - 1;
      if (event.type !== EVENT_ID.SCALAR) return event.start;
      if (event.valueStart < 0) return undefined;
      const isQuoted =
        event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
      return isQuoted ? event.valueStart - 1 : event.valueStart;
    }
    case EVENT_ID.DOCUMENT:
    case EVENT_ID.POP:
      return undefined;
  }
}

/**
 * Blocks begin on the line below their key, and the text of | and > below the sign: the key is the
 * better place to show for such a value.
 */
export function isShownByKey(event: Event): boolean {
  if (event.type === EVENT_ID.SCALAR) {
    return event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
  }
  if (event.type !== EVENT_ID.MAPPING && event.type !== EVENT_ID.SEQUENCE) return false;
  return event.style === COLLECTION_STYLE.BLOCK;
}

/** The children of the mapping or list whose event this is; of a key given twice the first. */
export function childrenOf(source: string, events: readonly Event[], at: number) {
  const children = new Map<string | number, Child>();
  const isMapping = events[at]?.type === EVENT_ID.MAPPING;
  let depth = 0;
  let count = 0;
  let key: { name: string | undefined; index: number } | undefined;
  for (let index = at + 1; index < events.length; index++) {
    const event = events[index]!;
    if (event.type === EVENT_ID.POP) {
      if (depth === 0) return children;
      depth -= 1;
      continue;
    }
    if (depth === 0) {
      if (!isMapping) children.set(count++, { key: index, value: index });
      else if (key === undefined) {
        const isName = event.type === EVENT_ID.SCALAR;
        key = { name: isName ? getScalarValue(source, event) : undefined, index };
      } else {
        if (key.name !== undefined && !children.has(key.name)) {
          children.set(key.name, { key: key.index, value: index });
        }
        key = undefined;
      }
    }
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) depth += 1;
  }
  return children;
}
