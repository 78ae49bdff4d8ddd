// The text of all pieces, put together again after every change. Streams are joined in groups that
// are kept while nothing in them changes: then a change to one of thousands joins a few dozen texts.
import type { Pieces } from './pieces.ts';

const GROUP = 64;

export interface JoinedText {
  /** The stream at this place has changed. */
  touch(place: number): void;
  /** Streams have moved. */
  reset(): void;
  join(pieces: Pieces): string;
}

export function createJoinedText(): JoinedText {
  let groups: (string | undefined)[] = [];
  return {
    touch(place) {
      groups[Math.floor(place / GROUP)] = undefined;
    },
    reset() {
      groups = [];
    },
    join({ head, streams, tail }) {
      const parts = [head];
      for (let from = 0; from < streams.length; from += GROUP) {
        const group = from / GROUP;
        groups[group] ??= streams
          .slice(from, from + GROUP)
          .flatMap(({ text, after }) => [text, after])
          .join('');
        parts.push(groups[group]);
      }
      parts.push(tail);
      return parts.join('');
    },
  };
}
