// Changes a manifest's text without touching a byte that is not part of the change: comments, order,
// quotes and line breaks stay. Meant to live as long as a run and to take thousands of changes.
import { YAMLException, load } from 'js-yaml';
import { EditError, LayoutProblem } from './edit-error.ts';
import { findPair, insertAt, setField } from './fields.ts';
import type { Layout } from './fields.ts';
import { writeBlockStream, writeFlowStream } from './new-stream.ts';
import type { NewStream } from './new-stream.ts';
import { createJoinedText } from './joined-text.ts';
import { cutManifest } from './pieces.ts';
import type { Pieces, StreamPiece } from './pieces.ts';
import { writeScalar } from './scalar.ts';
import { lineBreakOf, lineEnd, nextLine, paddingAt } from './scan.ts';
import { applySplices } from './splice.ts';
import type { Splice } from './splice.ts';
import { extending, naming, putting, removing, shortening, writing } from './stream-changes.ts';
import type { Change } from './stream-changes.ts';
import { changeStream, checkStream, fieldsOf, readStream, renamed } from './stream-text.ts';
import type { StreamStyle, StreamText } from './stream-text.ts';
import { hasAnchorInside, readTree } from './tree.ts';
import type { MappingNode } from './tree.ts';

export type { NewStream } from './new-stream.ts';

export interface ManifestEditor {
  has(streamId: string): boolean;
  /** A field with a single value, such as `status` or `error`; `null` takes it out. */
  set(streamId: string, field: string, value: string | number | null): void;
  setTop(field: string, value: string): void;
  /** A field with a text that may be long: over several lines, it is a block where the layout allows it. */
  setText(streamId: string, field: string, value: string): void;
  addDeps(streamId: string, deps: readonly string[]): void;
  /** Those that are not in it yet. */
  addToList(streamId: string, field: string, entries: readonly string[]): void;
  removeFromList(streamId: string, field: string, entry: string): void;
  /** Gives it another id, and writes that wherever other streams name it. */
  renameStream(streamId: string, newId: string): void;
  addStream(stream: NewStream): void;
  /** What stands above it stays, unless the comment right above goes with it. */
  removeStream(streamId: string, options?: { withComment?: boolean }): void;
  toString(): string;
}

/** Texts that keep the blank lines below them (`|+`): what stands there becomes theirs. */
const KEEPS_BLANK_LINES = /[|>][1-9]?\+/;

/** Blank lines that the text above would take for its own go, too. */
function withoutAbsorbed(above: string, after: string): string {
  if (!KEEPS_BLANK_LINES.test(above)) return after;
  const blanks = /^(?:[ \t]*\r?\n)+/.exec(after)?.[0] ?? '';
  if (blanks === '') return after;
  const value = valueOf(above);
  const isAbsorbed = value === undefined || value !== valueOf(above + blanks);
  return isAbsorbed ? after.slice(blanks.length) : after;
}

function valueOf(text: string): string | undefined {
  try {
    return JSON.stringify(load(text));
  } catch {
    // An alias of something above: whether a text ends it is unknown, so nothing is risked.
    return undefined;
  }
}

/** Lines of comment at the end of a text, with the indentation of streams. */
function withoutLastComment(text: string, padding: string): string {
  const lines = text.split('\n');
  // The last one is empty: the text ends in a line break.
  let end = lines.length - 1;
  while (end > 0 && lines[end - 1]!.startsWith(`${padding}#`)) end -= 1;
  return [...lines.slice(0, end), lines.at(-1)].join('\n');
}

/** Throws an EditError when the text is not YAML with streams; later ones leave it as it was. */
export function editManifest(text: string): ManifestEditor {
  const lineBreak = lineBreakOf(text);
  let pieces: Pieces;
  let indexOf: Map<string, number>;
  const joined = createJoinedText();
  // The readings of streams that were changed before: most of them will be changed again.
  let readings: Map<string, StreamText>;

  function open(given: string): void {
    pieces = cutManifest(given);
    readings = new Map();
    number();
  }

  function number(): void {
    indexOf = new Map(pieces.streams.map(({ id }, place) => [id, place]));
    joined.reset();
  }

  function whole(): string {
    return joined.join(pieces);
  }

  function style(): StreamStyle {
    const { isFlow, padding, step } = pieces;
    return { isFlow, padding, step, lineBreak };
  }

  function pieceOf(id: string): StreamPiece {
    const place = indexOf.get(id);
    const piece = place === undefined ? undefined : pieces.streams[place];
    if (!piece) throw new EditError(`There is no stream '${id}'.`);
    return piece;
  }

  function lineIn(piece: StreamPiece, offset: number): number {
    const { head, streams } = pieces;
    let before = head;
    for (const each of streams.slice(0, streams.indexOf(piece))) before += each.text + each.after;
    const inside = piece.text.slice(0, Math.max(0, offset - (pieces.isFlow ? 1 : 0)));
    return (before + inside).split('\n').length;
  }

  function located<T>(piece: StreamPiece, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof LayoutProblem) {
        throw new EditError(`Stream '${piece.id}': ${error.message}`, lineIn(piece, error.offset));
      }
      if (error instanceof YAMLException) {
        throw new EditError(`Stream '${piece.id}': ${error.reason}.`, lineIn(piece, 0));
      }
      throw error;
    }
  }

  function change(id: string, make: Change): void {
    const piece = pieceOf(id);
    located(piece, () => {
      const stream = readings.get(id) ?? readStream(piece.text, style());
      checkStream(stream);
      const { splices, isDone } = make(stream, fieldsOf(stream), style());
      if (splices.length === 0) return;
      const changed = changeStream(stream, style(), splices, isDone);
      piece.text = changed.text;
      readings.set(id, changed.read);
      if (!pieces.isFlow) shelter(piece, pieces.streams.at(-1) === piece);
      joined.touch(indexOf.get(id)!);
    });
  }

  /** A text that has become the last of its stream must not grow by what stands below. */
  function shelter(piece: StreamPiece, isLast: boolean): void {
    const after = withoutAbsorbed(piece.text, piece.after);
    if (after !== piece.after) piece.after = after;
    if (!isLast || after !== '') return;
    const tail = withoutAbsorbed(piece.text, pieces.tail);
    if (tail === pieces.tail) return;
    pieces.tail = tail;
    joined.reset();
  }

  function setTop(field: string, value: string): void {
    const isInHead = !pieces.nothing && !pieces.isFlow && !pieces.below.has(field);
    const source = isInHead ? pieces.head : whole();
    const root = readTree(source);
    if (root?.kind !== 'mapping') throw new EditError('A manifest must be a mapping of fields.', 1);
    const layout: Layout = {
      text: source,
      lineBreak,
      quoting: pieces.isJson ? 'always' : 'when-needed',
    };
    const splices = topSplices(layout, root, field, value);
    if (isInHead) {
      const streamsAt = root.pairs.findIndex(
        ({ key }) => key.kind === 'scalar' && key.value === 'streams',
      );
      const before = splices.filter(({ start }) => start <= root.pairs[streamsAt]!.key.start);
      const grown = before.reduce(
        (sum, { start, end, text }) => sum + text.length - (end - start),
        0,
      );
      pieces.head = applySplices(source, splices);
      pieces.colon += grown;
    } else open(applySplices(source, splices));
  }

  function topSplices(layout: Layout, root: MappingNode, field: string, value: string): Splice[] {
    try {
      if (root.isFlow || findPair(root, field)) return setField(layout, root, field, value);
      // New ones stand above the streams, where people look for them.
      const at = root.pairs.indexOf(findPair(root, 'streams')!);
      const above = root.pairs.slice(0, at);
      if (above.length > 0) return setField(layout, { ...root, pairs: above }, field, value);
      const { start } = root.pairs[0]!.key;
      const padding = paddingAt(layout.text, start) ?? '';
      return [
        insertAt(start, `${field}: ${writeScalar(value, layout.quoting)}${lineBreak}${padding}`),
      ];
    } catch (error) {
      if (!(error instanceof LayoutProblem)) throw error;
      const line = layout.text.slice(0, error.offset).split('\n').length;
      throw new EditError(error.message, line);
    }
  }

  /** Cuts the text where the first stream goes. */
  function makeRoom({ start, end, isInFlow }: NonNullable<Pieces['nothing']>): void {
    const all = pieces.head;
    pieces.nothing = undefined;
    if (isInFlow) {
      pieces.head = `${all.slice(0, start)}{`;
      pieces.tail = `}${all.slice(end)}`;
      return;
    }
    const next = nextLine(all, end);
    const afterColon = all.slice(pieces.colon + 1, start).trimEnd();
    const restOfLine = all.slice(end, lineEnd(all, end)).trimEnd();
    pieces.head = all.slice(0, pieces.colon + 1) + afterColon + restOfLine + lineBreak;
    pieces.tail = all.slice(next);
  }

  function addStream(stream: NewStream): void {
    if (indexOf.has(stream.id)) throw new EditError(`Stream '${stream.id}' already exists.`);
    if (pieces.nothing) makeRoom(pieces.nothing);
    const { streams, isFlow, isJson } = pieces;
    const last = streams.at(-1);
    const layout: Layout = { text: '', lineBreak, quoting: isJson ? 'always' : 'when-needed' };
    const piece: StreamPiece = { id: stream.id, text: '', after: '' };
    if (isFlow) {
      piece.text = writeFlowStream(stream, layout);
      const isOnOwnLine = pieces.head.endsWith(`\n${pieces.padding}`);
      if (last) last.after = isOnOwnLine ? `,${lineBreak}${pieces.padding}` : ', ';
    } else {
      const isOpen = last !== undefined && !last.text.endsWith('\n');
      if (isOpen) {
        last.text += lineBreak;
        readings.delete(last.id);
      }
      piece.text = writeBlockStream(stream, layout, pieces) + (isOpen ? '' : lineBreak);
    }
    if (last) joined.touch(streams.length - 1);
    joined.touch(streams.length);
    indexOf.set(piece.id, streams.length);
    streams.push(piece);
  }

  /** The lines of comment that touch a stream, and the blank line that would then be one too many. */
  function removeCommentAbove(piece: StreamPiece): void {
    const before = pieces.streams[pieces.streams.indexOf(piece) - 1];
    const isAtEnd = piece === pieces.streams.at(-1) && pieces.tail === '';
    let above = withoutLastComment(before?.after ?? pieces.head, pieces.padding);
    if (before && isAtEnd) above = above.replace(/(^|\n)[ \t]*\r?\n$/, '$1');
    if (before) before.after = above;
    else pieces.head = above;
    const isApart = !before || /(?:^|\n)[ \t]*\r?\n$/.test(above);
    if (isApart) piece.after = piece.after.replace(/^[ \t]*\r?\n/, '');
  }

  function removeStream(id: string, { withComment = false } = {}): void {
    const piece = pieceOf(id);
    const { pair } = located(piece, () => readStream(piece.text, style()));
    if (hasAnchorInside(pair.key) || hasAnchorInside(pair.value)) {
      const problem = `Stream '${id}' has an anchor (&) or a tag (!) that others may need; remove it first.`;
      throw new EditError(problem, lineIn(piece, pair.key.start));
    }
    if (withComment && !pieces.isFlow) removeCommentAbove(piece);
    const { streams, isFlow } = pieces;
    const at = streams.indexOf(piece);
    const isLast = at === streams.length - 1;
    const before = streams[at - 1];
    streams.splice(at, 1);
    readings.delete(id);
    if (isFlow) {
      if (isLast && before) before.after = '';
    } else if (before) {
      before.after += piece.after;
      shelter(before, isLast);
    } else pieces.head += piece.after;
    number();
    if (streams.length > 0) return;
    const empty = whole();
    const { colon } = pieces;
    open(isFlow ? empty : `${empty.slice(0, colon + 1)} {}${empty.slice(colon + 1)}`);
  }

  /** All streams that name it, or none: the text is as before when the layout of one forbids it. */
  function renameStream(id: string, newId: string): void {
    if (id === newId) return;
    if (indexOf.has(newId)) throw new EditError(`Stream '${newId}' already exists.`);
    const before = whole();
    try {
      // An id is written out wherever it is meant: where its letters are not, nothing has to change.
      for (const piece of pieces.streams) {
        if (piece.text.includes(id)) change(piece.id, naming(id, newId));
      }
      const piece = pieceOf(id);
      located(piece, () => {
        const stream = readings.get(id) ?? readStream(piece.text, style());
        piece.text = renamed(stream, style(), newId);
      });
    } catch (error) {
      open(before);
      throw error;
    }
    joined.reset();
    open(whole());
  }

  open(text);
  return {
    has: (id) => indexOf.has(id),
    set(id, field, value) {
      if (typeof value === 'number' && !Number.isFinite(value)) {
        throw new EditError(`'${field}' cannot be ${value}.`);
      }
      change(id, value === null ? removing(field) : putting(field, value));
    },
    setTop,
    addDeps(id, deps) {
      if (deps.length > 0) change(id, extending('deps', deps));
    },
    addToList(id, field, entries) {
      if (entries.length > 0) change(id, extending(field, entries));
    },
    removeFromList(id, field, entry) {
      change(id, shortening(field, entry));
    },
    setText(id, field, value) {
      change(id, writing(field, value));
    },
    renameStream,
    addStream,
    removeStream,
    toString: whole,
  };
}
