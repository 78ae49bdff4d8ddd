// Which files somebody has looked through, kept in this browser. A file that changes after that counts as new.
import { useState } from 'react';
import type { StreamFile } from './changed-files.ts';

const keyOf = (runId: string) => `millrace.viewed.${runId}`;

/** Tells versions of a patch apart; nothing depends on its strength. */
function fingerprint(text: string): string {
  let hash = 5381;
  for (let index = 0; index < text.length; index++) {
    hash = (hash * 33 + text.charCodeAt(index)) | 0;
  }
  return `${text.length}.${hash}`;
}

function read(runId: string): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(keyOf(runId)) ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}

export interface Viewed {
  has(file: StreamFile): boolean;
  toggle(file: StreamFile): void;
}

export function useViewed(runId: string): Viewed {
  const [marks, setMarks] = useState(() => read(runId));
  const printOf = ({ patch, kind }: StreamFile) => fingerprint(`${kind}${patch ?? ''}`);
  const has = (file: StreamFile) => marks[file.id] === printOf(file);
  return {
    has,
    toggle(file) {
      const { [file.id]: _, ...rest } = marks;
      const next = has(file) ? rest : { ...rest, [file.id]: printOf(file) };
      setMarks(next);
      localStorage.setItem(keyOf(runId), JSON.stringify(next));
    },
  };
}
