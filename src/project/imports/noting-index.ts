import { keyOfFolder, keyOfName, keyOfPath } from './change-key.ts';
import type { ProjectIndex } from './project-index.ts';

/** Notes what is asked: only a change of one of these can change what was found. */
export function notingIndex(index: ProjectIndex, note: (key: string) => void): ProjectIndex {
  return {
    files: index.files,
    has(path) {
      note(keyOfPath(path));
      return index.has(path);
    },
    inFolder(folder) {
      note(keyOfFolder(folder));
      return index.inFolder(folder);
    },
    endingWith(tail) {
      note(keyOfName(tail.slice(tail.lastIndexOf('/') + 1)));
      return index.endingWith(tail);
    },
  };
}
