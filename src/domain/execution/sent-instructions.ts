// The repository's instructions among the files that came with a task.
import {
  INSTRUCTION_NAMES,
  MAX_INSTRUCTION_TOKENS,
  fitInstructions,
  foldersTo,
  instructionPath,
} from '../prompt/instructions.ts';
import type { ShownInstructions } from '../prompt/instructions.ts';
import type { ExecutionContext } from './model.ts';

/** Of the root and the folders down to these files. */
export function sentInstructions(
  { contents }: Pick<ExecutionContext, 'contents'>,
  owns: readonly string[],
): ShownInstructions {
  const files = foldersTo(owns).flatMap((folder) => {
    const paths = INSTRUCTION_NAMES.map((name) => instructionPath(folder, name));
    const path = paths.find((each) => Object.hasOwn(contents, each));
    const text = path === undefined ? '' : contents[path]!;
    return path === undefined || text.trim() === '' ? [] : [{ path, text }];
  });
  return fitInstructions(files, MAX_INSTRUCTION_TOKENS);
}
