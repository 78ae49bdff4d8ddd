// What is wrong with a manifest, where, and what to do about it.

/** The way to a value: keys and places in lists, from the top. */
export type ValuePath = readonly (string | number)[];

export interface Problem {
  severity: 'error' | 'warning';
  code: string;
  /** What is wrong, one sentence. */
  message: string;
  /** What to do about it, one sentence. */
  hint: string;
  /** As in `streams.api.owns[1]`; empty for the whole file. */
  path: string;
  file?: string;
  /** From 1 on; columns count characters as editors do (UTF-16). */
  line: number;
  column: number;
  /** The streams of a circle, in order; the first one follows the last. */
  cycle?: string[];
}
