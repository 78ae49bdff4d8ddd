// A line in pieces that look alike: changed words, colours of syntax, characters that are named instead of shown.
import { textParts } from '../../../src/domain/text/hidden-characters.ts';
import type { WordPart } from './words.ts';

/** Colours of a piece of a line, counted in UTF-16 from its start. */
export interface Token {
  from: number;
  to: number;
  look: string;
}

export interface Segment {
  text: string;
  isChanged: boolean;
  isHidden: boolean;
  look: string | undefined;
}

export function lineSegments(
  text: string,
  words: readonly WordPart[] | undefined,
  tokens: readonly Token[] = [],
): Segment[] {
  const ends = new Set([text.length]);
  const changed: [from: number, to: number][] = [];
  let at = 0;
  for (const word of words ?? []) {
    if (word.changed) changed.push([at, at + word.text.length]);
    at += word.text.length;
    ends.add(at);
  }
  for (const { from, to } of tokens) ends.add(from).add(to);
  const cuts = [...ends].filter((cut) => cut > 0 && cut <= text.length).sort((a, b) => a - b);
  const segments: Segment[] = [];
  let from = 0;
  let [word, token] = [0, 0];
  for (const to of cuts) {
    while (word < changed.length && changed[word]![1] <= from) word += 1;
    while (token < tokens.length && tokens[token]!.to <= from) token += 1;
    const isChanged = word < changed.length && changed[word]![0] <= from;
    const own = tokens[token];
    const look = own !== undefined && own.from <= from ? own.look : undefined;
    for (const part of textParts(text.slice(from, to))) {
      segments.push({ ...part, isChanged, look });
    }
    from = to;
  }
  return segments;
}
