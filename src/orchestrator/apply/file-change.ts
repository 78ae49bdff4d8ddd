// What applying is about: changes of files, and what prevents them.

/** A file before and after; null where there is none. */
export interface FileChange {
  path: string;
  before: Buffer | null;
  after: Buffer | null;
  /** Of the file that was there; a new one gets 0644. */
  mode: number;
}

export interface ApplyProblem {
  path: string;
  code: string;
  message: string;
  /** Which of the edits of an operation. */
  editIndex?: number;
  /** The lines of the file that look most like the text that was not found. */
  nearest?: string;
  /** Lines of other streams that a whole text leaves out. */
  dropped?: string;
  /** Where an ambiguous text was found. */
  lines?: number[];
}
