// A change that the layout of the file does not allow. The text is then as it was before.

export class EditError extends Error {
  override name = 'EditError';
  /** From 1 on; undefined when it is not about a place in the text. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(line === undefined ? message : `Line ${line}: ${message}`);
    this.line = line;
  }
}

/** Thrown inside a fragment of the text, where nobody knows yet at which line it begins. */
export class LayoutProblem extends Error {
  override name = 'LayoutProblem';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}
