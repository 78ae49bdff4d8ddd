// The plans of joined streams as one text, with what a stream does for others and what it leaves to them.
// Written after the last join: a plan that says "leave this file to another stream" would be wrong in that stream.
import { oneText } from './draft.ts';
import type { Draft, DraftStream, Piece } from './draft.ts';

function unique(pieces: readonly Piece[]): Piece[] {
  const seen = new Set<string>();
  return pieces.filter(({ text }) => !seen.has(text) && seen.add(text));
}

const bullet = ({ name, text }: Piece) => `- ${name}: ${text.trim().replaceAll('\n', '\n  ')}`;

/** Files that it changes because plans of other streams ask for it, those with the same plans together. */
function dutiesOf(stream: DraftStream): string[] {
  const own = new Set(stream.pieces.map(({ text }) => text));
  const groups = new Map<string, string[]>();
  for (const { path, pieces } of stream.duties) {
    const lines = unique(pieces.filter(({ text }) => !own.has(text))).map(bullet);
    const key = lines.join('\n');
    if (key !== '') groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  return [...groups].map(
    ([lines, paths]) =>
      `In ${paths.join(', ')}, make the changes that these parts of the work need; the rest of them is done elsewhere:\n${lines}`,
  );
}

function leftToOthers(stream: DraftStream, streams: readonly DraftStream[]): string[] {
  const own = new Set(stream.pieces);
  return streams.flatMap((other) =>
    other === stream
      ? []
      : other.duties
          .filter(({ pieces }) => pieces.some((piece) => own.has(piece)))
          .map(({ path }) => `Leave ${path} as it is: the stream ${other.id} changes it.`),
  );
}

export function writePlans(draft: Draft): Draft {
  const streams = draft.streams.map((stream): DraftStream => {
    const own = unique(stream.pieces).map(({ text }) => text);
    const texts = [...own, ...dutiesOf(stream), ...leftToOthers(stream, draft.streams)];
    const text = oneText([...new Set(texts)]);
    const pieces = text === '' ? [] : [{ name: stream.name, text }];
    return { ...stream, pieces, duties: [] };
  });
  return { ...draft, streams };
}
