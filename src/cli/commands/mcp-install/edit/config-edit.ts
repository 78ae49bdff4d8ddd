// What is asked of a config file, whatever its format.
import type { Splice } from '../../../../manifest/edit/splice.ts';

/** `["mcpServers", "millrace"]`: the object that holds the servers, and the name of one of them. */
export type EntryPath = readonly [container: string, name: string];
export type Entry = Readonly<Record<string, unknown>>;

export interface ConfigFormat {
  /** Undefined when there is none. Throws ConfigSyntaxError. */
  find(source: string, path: EntryPath): unknown;
  /** Adds the entry, or replaces it. */
  set(source: string, path: EntryPath, entry: Entry): Splice[];
  /** No edits when there is none. */
  remove(source: string, path: EntryPath): Splice[];
  /** The entry in a document of its own. */
  document(path: EntryPath, entry: Entry): string;
  /** Everything that the document says. */
  valueOf(source: string): Record<string, unknown>;
}

/** A file that cannot be edited, with the place that has to be changed first. */
export class ConfigSyntaxError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(problem: string, place: { line: number; column: number }) {
    super(problem);
    this.name = 'ConfigSyntaxError';
    this.line = place.line;
    this.column = place.column;
  }
}

/** Lines and columns count from 1. */
export function locationOf(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
