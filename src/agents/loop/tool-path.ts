// Paths as models write them: relative to the project, or with its folder in front.
import { checkPath } from '../../domain/artifact/check-path.ts';

export interface PathProblem {
  message: string;
}

export type ReadPath = { kind: 'path'; path: string } | { kind: 'refused'; why: string };

/** `mayBeRoot`: for folders. */
export function readPath(
  written: string,
  { folder, mayBeRoot = false }: { folder: string; mayBeRoot?: boolean },
): ReadPath {
  const trimmed = written.trim();
  const inProject =
    trimmed === folder || trimmed.startsWith(`${folder}/`)
      ? trimmed.slice(folder.length + 1)
      : trimmed;
  const path = inProject.replace(/^(?:\.\/)+/, '').replace(/\/$/, '');
  if (mayBeRoot && (path === '' || path === '.')) return { kind: 'path', path: '' };
  const why = checkPath(path);
  return why === undefined ? { kind: 'path', path } : { kind: 'refused', why };
}
