// A manifest cut at its streams: what comes before them, each of them, what comes after. A change to
// one stream then touches one short text and not the whole file.
import { YAMLException } from 'js-yaml';
import { EditError } from './edit-error.ts';
import { findPair, isNothing } from './fields.ts';
import { lineStart, nextLine, paddingAt } from './scan.ts';
import { readTree } from './tree.ts';
import type { MappingNode, Pair } from './tree.ts';

export interface StreamPiece {
  id: string;
  /** In a block mapping whole lines; in a flow mapping from the key to the end of the value. */
  text: string;
  /** What stands between it and the next one. */
  after: string;
}

export interface Pieces {
  head: string;
  streams: StreamPiece[];
  tail: string;
  isFlow: boolean;
  /** Where in `head` the colon behind `streams` is. */
  colon: number;
  /** Indentation of stream ids, and how much deeper their fields are. */
  padding: string;
  step: string;
  isJson: boolean;
  /** Fields that come after the streams. */
  below: ReadonlySet<string>;
  /** The value of `streams` if there is no stream: it makes room for the first. */
  nothing: { start: number; end: number; isInFlow: boolean } | undefined;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function readRoot(text: string): MappingNode {
  let root;
  try {
    root = readTree(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw new EditError(`Not valid YAML: ${error.reason}.`, (error.mark?.line ?? 0) + 1);
  }
  if (root?.kind !== 'mapping') throw new EditError('A manifest must be a mapping of fields.', 1);
  return root;
}

export function cutManifest(text: string): Pieces {
  const root = readRoot(text);
  const pair = findPair(root, 'streams');
  if (!pair) throw new EditError(`There is no 'streams' field.`, 1);
  const at = root.pairs.indexOf(pair);
  const rest = root.pairs.slice(at + 1);
  const common = {
    colon: pair.colon,
    isJson: root.isFlow && pair.key.kind === 'scalar' && pair.key.isDoubleQuoted,
    below: new Set(rest.map(({ key }) => (key.kind === 'scalar' ? key.value : ''))),
  };
  const { value } = pair;
  if (value.kind === 'alias' || value.hasProperties) {
    const problem = `'streams' has an anchor, a tag or an alias; remove it to edit streams here.`;
    throw new EditError(problem, lineOf(text, value.start));
  }
  if (isNothing(value) || (value.kind === 'mapping' && value.pairs.length === 0)) {
    const padding = `${root.isFlow ? '' : (paddingAt(text, pair.key.start) ?? '')}  `;
    const nothing = { start: value.start, end: value.end, isInFlow: root.isFlow };
    const isFlow = root.isFlow;
    return { ...common, head: text, streams: [], tail: '', isFlow, padding, step: '  ', nothing };
  }
  if (value.kind !== 'mapping') {
    throw new EditError(`'streams' must be a mapping of stream ids.`, lineOf(text, value.start));
  }
  const cut = value.isFlow ? cutFlow(text, value) : cutBlock(text, value);
  checkIds(text, value.pairs);
  return { ...common, ...cut, isFlow: value.isFlow, nothing: undefined };
}

function idOf({ key }: Pair): string {
  return key.kind === 'scalar' ? key.value : '';
}

function checkIds(text: string, pairs: readonly Pair[]): void {
  const seen = new Set<string>();
  for (const pair of pairs) {
    const id = idOf(pair);
    if (seen.has(id))
      throw new EditError(`Stream '${id}' appears twice.`, lineOf(text, pair.key.start));
    seen.add(id);
  }
}

function cutFlow(text: string, { pairs }: MappingNode) {
  const streams = pairs.map((pair, i) => {
    const next = pairs[i + 1]?.key.start ?? pair.value.end;
    const own = text.slice(pair.key.start, pair.value.end);
    return { id: idOf(pair), text: own, after: text.slice(pair.value.end, next) };
  });
  const head = text.slice(0, pairs[0]!.key.start);
  const tail = text.slice(pairs.at(-1)!.value.end);
  return { head, streams, tail, padding: paddingAt(text, pairs[0]!.key.start) ?? '', step: '  ' };
}

function stepOf(text: string, pairs: readonly Pair[], padding: string): string {
  for (const { value } of pairs) {
    if (value.kind !== 'mapping' || value.isFlow) continue;
    const inner = paddingAt(text, value.start);
    if (inner !== undefined && inner.length > padding.length) return inner.slice(padding.length);
  }
  return '  ';
}

function cutBlock(text: string, { pairs }: MappingNode) {
  const starts = pairs.map(({ key }) => lineStart(text, key.start));
  const ends = pairs.map(({ value }) => nextLine(text, value.end));
  const streams = pairs.map((pair, i) => ({
    id: idOf(pair),
    text: text.slice(starts[i], ends[i]),
    after: text.slice(ends[i], starts[i + 1] ?? ends[i]),
  }));
  const padding = paddingAt(text, pairs[0]!.key.start) ?? '';
  const step = stepOf(text, pairs, padding);
  return { head: text.slice(0, starts[0]), streams, tail: text.slice(ends.at(-1)), padding, step };
}
