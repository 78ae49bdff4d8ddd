// How long the parts of an answer may be, in characters of JSON. A host cuts an answer that is too long
// wherever it likes: Claude Code keeps the first and the last part of about 10,000 characters. So each
// part has its share, and says how much it leaves out.

export const MOST = {
  task: 200,
  error: 800,
  summary: 800,
  stepSummary: 300,
  name: 120,
  conflict: 800,
  operations: 2400,
  steps: 1800,
  leftOut: 600,
  files: 1500,
  waves: 600,
  plannedSteps: 3000,
  /** A manifest is there as a whole or not at all, and has all steps in it: beside it a few are enough. */
  manifest: 4000,
  stepsBesideManifest: 800,
  planned: 300,
  warnings: 300,
} as const;

/** Of a text in JSON, quotes and line breaks count twice: what is clipped must fit nevertheless. */
export function clip(text: string, most: number): string {
  if (JSON.stringify(text).length - 2 <= most) return text;
  let length = Math.min(text.length, most - 1);
  while (length > 0 && JSON.stringify(text.slice(0, length)).length - 2 > most - 1) {
    length = Math.floor(length * 0.9);
  }
  const isHalf = /[\ud800-\udbff]$/.test(text.slice(0, length));
  return `${text.slice(0, isHalf ? length - 1 : length)}…`;
}

export interface Part<T> {
  shown: T[];
  omitted: number;
}

/** The first ones that fit. */
export function within<T>(items: readonly T[], most: number): Part<T> {
  let left = most;
  const fitting = items.findIndex((item) => {
    left -= JSON.stringify(item).length + 1;
    return left < 0;
  });
  const count = fitting === -1 ? items.length : fitting;
  return { shown: items.slice(0, count), omitted: items.length - count };
}
