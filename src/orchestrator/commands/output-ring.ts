// The end of what a command prints. A command may print for ever, so what is kept has a bound, and
// what is dropped is dropped in whole chunks: nothing is copied while it prints.

/** What is kept of a command's output, in characters. */
export const KEPT_OUTPUT = 1024 * 1024;
/**
 * Kept beyond it until the end: a secret that is cut by the edge is no longer known as one, so the
 * edge is cut off after the secrets were taken out.
 */
const MARGIN = 8 * 1024;

export interface OutputRing {
  push(text: string): void;
  end(scrub: (text: string) => string): { output: string; outputTruncated: boolean };
}

export function createOutputRing(kept: number = KEPT_OUTPUT): OutputRing {
  const limit = kept + MARGIN;
  let chunks: string[] = [];
  let first = 0;
  let length = 0;
  let isCut = false;

  /** The list itself must not grow with what was dropped from it. */
  function compact(): void {
    if (first < 1024 || first < chunks.length / 2) return;
    chunks = chunks.slice(first);
    first = 0;
  }

  return {
    push(text) {
      if (text === '') return;
      chunks.push(text);
      length += text.length;
      while (length - chunks[first]!.length >= limit) {
        length -= chunks[first]!.length;
        chunks[first] = '';
        first += 1;
        isCut = true;
      }
      compact();
    },
    end(scrub) {
      const text = chunks.slice(first).join('');
      const outputTruncated = isCut || text.length > kept;
      const clean = scrub(text);
      if (!outputTruncated) return { output: clean, outputTruncated };
      const from = Math.max(isCut ? MARGIN : 0, clean.length - kept);
      return { output: clean.slice(from).toWellFormed(), outputTruncated };
    },
  };
}
