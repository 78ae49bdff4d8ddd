import type { Turn } from './conversation.ts';

export interface Said {
  texts?: readonly string[];
  calls?: readonly (string | undefined)[];
  results?: readonly (string | undefined)[];
  data?: readonly string[];
  images?: number;
  isMarked?: boolean;
}

/** Puts messages together to turns: several in a row of one side are one. */
export function createTurns(): { add(from: Turn['from'], said: Said): void; turns: Turn[] } {
  const turns: Turn[] = [];
  return {
    turns,
    add(from, said) {
      let turn = turns.at(-1);
      if (turn?.from !== from) {
        turn = { from, text: '', calls: [], results: [], data: '', images: 0, isMarked: false };
        turns.push(turn);
      }
      turn.text = joined(turn.text, said.texts ?? []);
      turn.data = joined(turn.data, said.data ?? []);
      turn.calls.push(...(said.calls ?? []));
      turn.results.push(...(said.results ?? []));
      turn.images += said.images ?? 0;
      turn.isMarked ||= said.isMarked ?? false;
    },
  };
}

function joined(before: string, texts: readonly string[]): string {
  return [before, ...texts].filter((text) => text !== '').join('\n');
}
