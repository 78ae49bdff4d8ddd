// What applying is about.

/** A file before and after; null where there is none. */
export interface FileChange {
  path: string;
  before: Buffer | null;
  after: Buffer | null;
  /** Of the file that was there; a new one gets it. */
  mode: number;
  /** Where it becomes another one. */
  newMode?: number;
}

/** Of a change, or of a journal that was read. */
export interface OfMode {
  mode: number;
  newMode?: number | undefined;
}

export const modeAfter = ({ mode, newMode }: OfMode): number => newMode ?? mode;

/** The two ends of a change of mode; nothing where they are the same. */
export const modes = (mode: number, newMode: number): Pick<FileChange, 'mode' | 'newMode'> =>
  mode === newMode ? { mode } : { mode, newMode };

export const isExecutable = (mode: number): boolean => (mode & 0o100) !== 0;

/** Who may read the file may run it, or nobody may. */
export function withExecutable(mode: number, executable: boolean | undefined): number {
  if (executable === undefined || executable === isExecutable(mode)) return mode;
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}
