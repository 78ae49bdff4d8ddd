// What can be changed in one stream: each change as the bytes to replace, and how the result must read.
import { addToList, findPair, insertAt, removeField, setField } from './fields.ts';
import { removeFromList, replaceInList, setLongText } from './lists.ts';
import { writeList, writeScalar, writeText } from './scalar.ts';
import type { Splice } from './splice.ts';
import { startFields } from './stream-text.ts';
import type { StreamStyle, StreamText } from './stream-text.ts';
import type { MappingNode } from './tree.ts';

type Fields = MappingNode | undefined;

export type Change = (
  stream: StreamText,
  fields: Fields,
  style: StreamStyle,
) => { splices: Splice[]; isDone: (fields: Fields) => boolean };

function textOf(fields: Fields, field: string): string | undefined {
  const now = fields && findPair(fields, field)?.value;
  return now?.kind === 'scalar' ? now.value : undefined;
}

function entriesOf(fields: Fields, field: string): ReadonlySet<string> | undefined {
  const now = fields && findPair(fields, field)?.value;
  if (now?.kind !== 'sequence') return undefined;
  return new Set(now.items.map((item) => (item.kind === 'scalar' ? item.value : '')));
}

export function removing(field: string): Change {
  return (stream, fields) => {
    const splices = fields ? removeField(stream.layout, fields, field) : [];
    const isLast = fields && !fields.isFlow && fields.pairs.length === 1 && splices.length > 0;
    if (isLast) splices.push(insertAt(stream.pair.colon + 1, ' {}'));
    return { splices, isDone: (after) => after !== undefined && !findPair(after, field) };
  };
}

export function putting(field: string, value: string | number): Change {
  return (stream, fields, style) => {
    const { quoting } = stream.layout;
    const written = `${writeText(field, quoting)}: ${writeScalar(value, quoting)}`;
    return {
      splices: fields
        ? setField(stream.layout, fields, field, value)
        : startFields(stream, style, written),
      isDone: (after) => textOf(after, field) === String(value),
    };
  };
}

export function writing(field: string, value: string): Change {
  return (stream, fields, style) => {
    if (fields === undefined) return putting(field, value)(stream, fields, style);
    const { step } = style;
    return {
      splices: setLongText(stream.layout, fields, { name: field, value, step }),
      isDone: (after) => textOf(after, field) === value,
    };
  };
}

export function extending(field: string, entries: readonly string[]): Change {
  return (stream, fields, style) => {
    const { quoting } = stream.layout;
    const list = writeList([...new Set(entries)], quoting);
    return {
      splices: fields
        ? addToList(stream.layout, fields, field, entries)
        : startFields(stream, style, `${writeText(field, quoting)}: ${list}`),
      isDone: (after) => {
        const now = entriesOf(after, field);
        return now !== undefined && entries.every((entry) => now.has(entry));
      },
    };
  };
}

export function shortening(field: string, entry: string): Change {
  return ({ layout }, fields) => ({
    splices: fields ? removeFromList(layout, fields, field, entry) : [],
    isDone: (after) => entriesOf(after, field)?.has(entry) !== true,
  });
}

/** Fields in which a stream names another one. */
const NAMES_A_STREAM = ['parentStreamId', 'skippedBy'];

/** Writes the new id of another stream wherever this one names it. */
export function naming(from: string, to: string): Change {
  return ({ layout }, fields) => {
    if (fields === undefined) return { splices: [], isDone: () => true };
    const single = NAMES_A_STREAM.filter((field) => textOf(fields, field) === from);
    return {
      splices: [
        ...replaceInList(layout, fields, 'deps', { from, to }),
        ...single.flatMap((field) => setField(layout, fields, field, to)),
      ],
      isDone: (after) =>
        entriesOf(after, 'deps')?.has(from) !== true &&
        single.every((field) => textOf(after, field) === to),
    };
  };
}
