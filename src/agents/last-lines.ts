// What a program prints, line by line, and the end of it. A program that floods its output is not followed to the last
// line: what is shown is bounded, and what is kept as well.

const KEPT = 16 * 1024;
const LONGEST_LINE = 2000;
const SHOWN_LINES = 2000;

export interface LastLines {
  add(text: string): void;
  /** The end of all that was printed; undefined when it was nothing. */
  end(): string | undefined;
}

export function createLastLines(onLine: (line: string) => void): LastLines {
  let rest = '';
  let kept = '';
  let shown = 0;
  function show(line: string): void {
    if (line.trim() === '' || shown >= SHOWN_LINES) return;
    shown += 1;
    onLine(line.slice(0, LONGEST_LINE));
  }
  return {
    add(text) {
      kept = (kept + text).slice(-KEPT);
      const lines = (rest + text).split(/\r\n|\n|\r/);
      rest = lines.pop()!.slice(-LONGEST_LINE);
      lines.forEach(show);
    },
    end() {
      show(rest);
      rest = '';
      const text = kept.trim();
      return text === '' ? undefined : text;
    },
  };
}
