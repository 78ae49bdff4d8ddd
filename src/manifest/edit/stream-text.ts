// Changes to the text of one stream. Every change is read back before it counts.
import { LayoutProblem } from './edit-error.ts';
import { insertLine, isNothing } from './fields.ts';
import type { Layout } from './fields.ts';
import { writeText } from './scalar.ts';
import { applySplices } from './splice.ts';
import type { Splice } from './splice.ts';
import { readTree } from './tree.ts';
import type { MappingNode, Pair } from './tree.ts';

export interface StreamText {
  layout: Layout;
  pair: Pair;
}

export interface StreamStyle {
  isFlow: boolean;
  lineBreak: string;
  padding: string;
  step: string;
}

/** The text that is parsed: a flow entry needs its brackets. */
function wrap(text: string, isFlow: boolean): string {
  return isFlow ? `{${text}}` : text;
}

export function readStream(text: string, style: StreamStyle): StreamText {
  const wrapped = wrap(text, style.isFlow);
  const root = readTree(wrapped);
  const pair = root?.kind === 'mapping' ? root.pairs[0] : undefined;
  if (root?.kind !== 'mapping' || !pair || root.pairs.length !== 1) {
    throw new LayoutProblem('The layout of this stream cannot be edited automatically.', 0);
  }
  const isJson = style.isFlow && pair.key.kind === 'scalar' && pair.key.isDoubleQuoted;
  const layout: Layout = {
    text: wrapped,
    lineBreak: style.lineBreak,
    quoting: isJson ? 'always' : 'when-needed',
  };
  return { layout, pair };
}

export function checkStream({ layout, pair }: StreamText): void {
  const { key, value } = pair;
  if (key.hasProperties || value.hasProperties || value.kind === 'alias') {
    const problem =
      'The stream has an anchor (&), a tag (!) or an alias (*); remove it to edit this here.';
    throw new LayoutProblem(problem, key.start);
  }
  const isExplicit = layout.text.slice(0, key.start).trimEnd().endsWith('?');
  if (isExplicit || pair.colon < 0) {
    throw new LayoutProblem(`Write the stream's id as 'id:'.`, key.start);
  }
}

/** The mapping of a stream's fields; undefined for a stream without any. */
export function fieldsOf({ pair }: StreamText): MappingNode | undefined {
  if (pair.value.kind === 'mapping') return pair.value;
  if (isNothing(pair.value)) return undefined;
  throw new LayoutProblem('The stream must be a mapping of fields.', pair.value.start);
}

/** A stream that has no fields gets its first. */
export function startFields(
  { layout, pair }: StreamText,
  style: StreamStyle,
  field: string,
): Splice[] {
  const { value, colon } = pair;
  const isEmpty = value.kind === 'scalar' && value.style === 'empty';
  if (!isEmpty) return [{ start: value.start, end: value.end, text: `{${field}}` }];
  if (style.isFlow) return [{ start: colon + 1, end: colon + 1, text: ` {${field}}` }];
  return [insertLine(layout, colon, style.padding + style.step + field)];
}

/** The stream's text after a change; throws if it does not read as it should. */
export function changeStream(
  stream: StreamText,
  style: StreamStyle,
  splices: readonly Splice[],
  isDone: (fields: MappingNode | undefined) => boolean,
): { text: string; read: StreamText } {
  const changed = applySplices(stream.layout.text, splices);
  const text = style.isFlow ? changed.slice(1, -1) : changed;
  const read = readStream(text, style);
  if (!isDone(fieldsOf(read))) {
    throw new LayoutProblem('The layout of this stream cannot be edited automatically.', 0);
  }
  return { text, read };
}

/** The stream's text under another id; throws if it does not read as that. */
export function renamed({ layout, pair }: StreamText, style: StreamStyle, id: string): string {
  const { start, end } = pair.key;
  const changed = applySplices(layout.text, [{ start, end, text: writeText(id, layout.quoting) }]);
  const text = style.isFlow ? changed.slice(1, -1) : changed;
  const { key } = readStream(text, style).pair;
  if (key.kind !== 'scalar' || key.value !== id) {
    throw new LayoutProblem('The layout of this stream cannot be edited automatically.', start);
  }
  return text;
}
