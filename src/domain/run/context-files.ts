// What of the project a model is shown.

export type ContextRole =
  | 'owned'
  | 'read'
  | 'named'
  /** Says what the project is made of. */
  | 'package'
  /** A test, types or documentation of an owned file, by its name. */
  | 'related'
  | 'import'
  | 'importer'
  | 'ranked';

export interface ContextFile {
  path: string;
  /** Why it is shown. */
  role: ContextRole;
  text: string;
  /** Of the whole file, also when only a part of it is shown. */
  sha256: string;
  included: 'full' | 'outline' | 'head';
  tokens: number;
}

/** The room is used up, there are enough files, or the file itself cannot be shown. */
export type OmittedCause = 'room' | 'count' | 'file';

export interface OmittedFile {
  path: string;
  /** In words, for the model and for people. */
  reason: string;
  cause?: OmittedCause;
  /** Why it would have been shown. */
  role?: ContextRole;
  bytes: number;
}

export interface StreamContext {
  files: ContextFile[];
  omitted: OmittedFile[];
  /** What else is in the project: a line for each file or folder. */
  listing?: string;
  /** Of the files and the listing. */
  tokens: number;
}
