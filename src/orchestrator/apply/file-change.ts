// What applying is about.

/** A file before and after; null where there is none. */
export interface FileChange {
  path: string;
  before: Buffer | null;
  after: Buffer | null;
  /** Of the file that was there; a new one gets 0644. */
  mode: number;
}
