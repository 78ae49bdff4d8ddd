// A model's answer on its way to standard output. In a pipe it stays as it is; on a terminal it can only
// be read: a sequence that moves the cursor, sets the title or fills the clipboard does not get there.
import { harmless } from './diff-colours.ts';
import { stripStyles } from './text-width.ts';

/** A sequence is held back until its end arrives; longer than this it is none. */
const LONGEST_SEQUENCE = 4096;

// oxlint-disable-next-line no-control-regex -- the beginnings of what stripStyles takes out
const UNFINISHED = /(?:\u001b(?:\[[0-?]*[ -/]*|\][^\u0007\u001b]*\u001b?)?|\r)$/;

export interface AnswerText {
  write(text: string): void;
  /** What was held back turned out to be all there is. */
  end(): void;
}

export function createAnswerText(
  out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stdout,
): AnswerText {
  if (!out.isTTY) return { write: (text) => void out.write(text), end: () => undefined };
  let held = '';
  const show = (text: string) => text !== '' && out.write(harmless(stripStyles(text)));
  return {
    write(text) {
      const all = held + text;
      // From the last part that can hold one, so that a long answer is not searched again and again.
      const from = Math.max(0, all.length - LONGEST_SEQUENCE);
      const unfinished = UNFINISHED.exec(all.slice(from))?.[0].length ?? 0;
      held = all.slice(all.length - unfinished);
      show(all.slice(0, all.length - unfinished));
    },
    end() {
      show(held);
      held = '';
    },
  };
}

/** The same for a text that is there as a whole. */
export function printAnswer(text: string): void {
  const answer = createAnswerText();
  answer.write(text);
  answer.end();
  process.stdout.write('\n');
}
