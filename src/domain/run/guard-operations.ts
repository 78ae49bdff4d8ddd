// A whole file replaces whatever is there, and a delete removes it. Both are meant for the file that
// the model was shown, whole, and hold for that file only: its hash goes with them. What the model says
// about hashes does not count.
import type { Operation } from '../../contract/artifact.ts';
import type { ShownFile } from './dialogue.ts';

export interface GuardProblem {
  path: string;
  code: 'PARTIAL' | 'UNSEEN';
  message: string;
}

export interface Guarded {
  operations: Operation[];
  problems: GuardProblem[];
}

export function guardOperations(
  operations: readonly Operation[],
  shown: ReadonlyMap<string, ShownFile>,
): Guarded {
  const guarded: Guarded = { operations: [], problems: [] };
  for (const operation of operations) {
    const found = guard(operation, shown.get(operation.path));
    if ('code' in found) guarded.problems.push(found);
    else guarded.operations.push(found);
  }
  return guarded;
}

function guard(operation: Operation, shown: ShownFile | undefined): Operation | GuardProblem {
  const { type, path } = operation;
  if (type === 'delete') {
    if (shown?.extent === 'whole') return { type, path, baseSha256: shown.sha256 };
    const message = 'It was not shown as a whole, so it cannot be deleted yet.';
    return { path, code: 'UNSEEN', message };
  }
  // Edits bring their own guard: the text that they replace.
  if ('edits' in operation) return { type: 'edit', path, edits: operation.edits };
  const { content } = operation;
  // Where there is such a file after all, applying it finds out.
  if (shown === undefined) return { type: 'create', path, content };
  if (shown.extent === 'whole') return { type: 'edit', path, content, baseSha256: shown.sha256 };
  const message = 'It was not shown as a whole, so only SEARCH/REPLACE edits of it are possible.';
  return { path, code: 'PARTIAL', message };
}
