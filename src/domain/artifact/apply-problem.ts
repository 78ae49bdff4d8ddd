// Why a change of a file cannot be applied.
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
