// Why an edit could not be made, for the model that wrote it.
import type { EditFailure } from './apply-edits.ts';
import type { ApplyProblem } from './apply-problem.ts';

export function editProblem(path: string, failure: EditFailure): ApplyProblem {
  const { code, editIndex } = failure;
  const edit = `edit ${editIndex + 1}`;
  switch (failure.code) {
    case 'NO_MATCH': {
      const hint = failure.nearest === '' ? '' : '; the lines most like it are shown';
      const message = `The oldText of ${edit} is not in the file${hint}.`;
      return { path, code, message, editIndex, nearest: failure.nearest };
    }
    case 'UNCLEAR': {
      const message = `The place of ${edit} is found, but how its new lines are meant is unclear; write both texts with the indentation and the quotes of the file.`;
      return { path, code, message, editIndex, nearest: failure.nearest };
    }
    case 'AMBIGUOUS': {
      const lines = [...new Set(failure.lines)].slice(0, 20);
      const message =
        `The oldText of ${edit} is in the file ${failure.lines.length} times ` +
        `(lines ${lines.join(', ')}); add lines around it until it is the only one.`;
      return { path, code, message, editIndex, lines };
    }
    case 'TOO_LARGE': {
      const message = `With ${edit} the file would become larger than 16 MiB.`;
      return { path, code, message, editIndex };
    }
    case 'OVERLAP': {
      const message = `The ${edit} overlaps edit ${failure.otherIndex + 1}.`;
      return { path, code, message, editIndex };
    }
  }
}
