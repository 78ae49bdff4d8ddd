// The lines of a unified diff with their numbers, and side by side.

export interface DiffLine {
  kind: 'same' | 'add' | 'remove' | 'hunk' | 'note';
  text: string;
  oldNumber: number | undefined;
  newNumber: number | undefined;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Empty for a file that is not text. */
export function parsePatch(patch: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [oldNumber, newNumber, isInside] = [0, 0, false];
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      [oldNumber, newNumber, isInside] = [Number(hunk[1]), Number(hunk[2]), true];
      lines.push({ kind: 'hunk', text: line, oldNumber: undefined, newNumber: undefined });
    } else if (isInside) {
      const text = line.slice(1);
      if (line.startsWith('+')) {
        lines.push({ kind: 'add', text, oldNumber: undefined, newNumber: newNumber++ });
      } else if (line.startsWith('-')) {
        lines.push({ kind: 'remove', text, oldNumber: oldNumber++, newNumber: undefined });
      } else if (line.startsWith('\\')) {
        lines.push({
          kind: 'note',
          text: text.trim(),
          oldNumber: undefined,
          newNumber: undefined,
        });
      } else {
        lines.push({ kind: 'same', text, oldNumber: oldNumber++, newNumber: newNumber++ });
      }
    }
  }
  return lines;
}

export type Pair =
  | { whole: DiffLine }
  | { left: DiffLine | undefined; right: DiffLine | undefined };

/** What was removed stands beside what was added in its place. */
export function sideBySide(lines: readonly DiffLine[]): Pair[] {
  const pairs: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      pairs.push({ left: removed[index], right: added[index] });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === 'remove') {
      // A removal after an addition begins a new change.
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === 'add') added.push(line);
    else if (line.kind !== 'note') {
      flush();
      pairs.push(line.kind === 'same' ? { left: line, right: line } : { whole: line });
    }
  }
  flush();
  return pairs;
}

const isCode = ({ kind }: DiffLine) => kind !== 'note' && kind !== 'hunk';

export interface DiffTexts {
  /** As much of both sides as a diff shows. */
  before: string;
  after: string;
  /** By line: where it is in its side, from 1, and the line that goes for it or comes for it. */
  places: ReadonlyMap<DiffLine, { line: number; other: string | undefined }>;
}

export function textsOf(lines: readonly DiffLine[]): DiffTexts {
  const [before, after]: [string[], string[]] = [[], []];
  const places = new Map<DiffLine, { line: number; other: string | undefined }>();
  for (const line of lines) {
    const text = isCode(line) ? line.text : '';
    if (line.kind !== 'add') before.push(text);
    if (line.kind !== 'remove') after.push(text);
    const own = line.kind === 'remove' ? before : after;
    places.set(line, { line: own.length, other: undefined });
  }
  for (const pair of sideBySide(lines)) {
    if ('whole' in pair) continue;
    const { left, right } = pair;
    if (left?.kind !== 'remove' || right?.kind !== 'add') continue;
    places.set(left, { ...places.get(left)!, other: right.text });
    places.set(right, { ...places.get(right)!, other: left.text });
  }
  return { before: before.join('\n'), after: after.join('\n'), places };
}
