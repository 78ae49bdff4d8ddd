// The files as the steps leave them, as far as they are known: those that came with the task, and
// what operations did since. A file that nobody has shown is changed blindly: its edits are kept.
import type { Artifact, Operation, TextEdit } from '../../contract/artifact.ts';
import { applyEdits } from '../artifact/apply-edits.ts';

export interface FileTree {
  /** The text; null when it was deleted, undefined when nothing is known of it. */
  textOf(path: string): string | null | undefined;
  /** The operation as it fits what is there now, or why it does not. */
  play(operation: Operation): Played;
  /** Paths that were changed here, with the operations on those whose text is not known. */
  changed(): Map<string, Operation[]>;
}

export type Played =
  | { kind: 'fits'; operation: Operation }
  /** `overwrites`: it creates a file that is there with another text. */
  | { kind: 'misfit'; path: string; message: string; overwrites?: true };

const WHY: Readonly<Record<string, string>> = {
  NO_MATCH: 'is not in the file',
  UNCLEAR: 'is found, but how its new lines are meant is unclear',
};

/** Each looks through the whole file, and the server has other things to do. */
const MAX_EDITS = 200;

export function createFileTree(contents: Readonly<Record<string, string>>): FileTree {
  const texts = new Map<string, string | null>(Object.entries(contents));
  const changed = new Map<string, Operation[]>();

  function fits(operation: Operation, text: string | null | undefined): Played {
    const { path } = operation;
    if (text === undefined) {
      const earlier = changed.get(path);
      if (earlier === undefined) changed.set(path, [operation]);
      else earlier.push(operation);
    } else {
      texts.set(path, text);
      changed.set(path, []);
    }
    return { kind: 'fits', operation };
  }

  function playEdits(operation: Operation & { edits: TextEdit[] }): Played {
    const { path, edits } = operation;
    const before = texts.get(path);
    if (before === undefined) return fits(operation, undefined);
    if (before === null) {
      const message = `${path} is edited, but an earlier step deleted it`;
      return { kind: 'misfit', path, message };
    }
    if (edits.length > MAX_EDITS) {
      const message = `${path} has more than ${MAX_EDITS} edits; write the whole file instead`;
      return { kind: 'misfit', path, message };
    }
    const applied = applyEdits(before, edits, { maxFailures: 1 });
    if (applied.kind === 'applied') return fits(operation, applied.text);
    const [failure] = applied.failures;
    const which = (failure?.editIndex ?? 0) + 1;
    const what = WHY[failure?.code ?? 'NO_MATCH'] ?? 'is in more than one place';
    const message =
      failure?.code === 'TOO_LARGE'
        ? `Edit ${which} would make ${path} larger than 16 MiB`
        : `The text to replace in edit ${which} of ${path} ${what}`;
    return { kind: 'misfit', path, message };
  }

  return {
    textOf: (path) => texts.get(path),
    changed: () => changed,
    play(operation) {
      const { path } = operation;
      if (operation.type === 'delete') return fits(operation, null);
      if ('edits' in operation) return playEdits(operation);
      const before = texts.get(path);
      const { content } = operation;
      const differs = typeof before === 'string' && before !== content;
      // A file of the caller's own that the step meant to be new: nobody asked to replace it.
      if (operation.type === 'create' && differs && !changed.has(path)) {
        const message = `${path} already exists with different content; edit it instead`;
        return { kind: 'misfit', path, message, overwrites: true };
      }
      // What an earlier step made may be made anew. To create what is there, or to edit what is not,
      // would be refused when it is applied.
      if (operation.type === 'create' && differs) {
        return fits({ type: 'edit', path, content }, content);
      }
      if (operation.type === 'edit' && before === null) {
        return fits({ type: 'create', path, content }, content);
      }
      return fits(operation, content);
    },
  };
}

/** The tree after these artifacts; operations that do not fit are left out. */
export function treeAfter(
  contents: Readonly<Record<string, string>>,
  artifacts: readonly Artifact[],
): FileTree {
  const tree = createFileTree(contents);
  for (const { operations } of artifacts) for (const operation of operations) tree.play(operation);
  return tree;
}
