// What of the project a model is shown.

export type ContextRole = 'owned' | 'read' | 'named' | 'import' | 'importer' | 'ranked';

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

export interface OmittedFile {
  path: string;
  reason: string;
  bytes: number;
}

export interface StreamContext {
  files: ContextFile[];
  omitted: OmittedFile[];
  tokens: number;
}
