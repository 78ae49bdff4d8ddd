// Asks once more for the part of an answer that could not be used.
import { assemble, ownsLines } from './prompt.ts';
import type { BuiltPrompt, PromptTask } from './prompt.ts';
import { breakDirectives, quoted, quotedFile } from './prompt-text.ts';

export interface ReaskFailure {
  path: string;
  code: string;
  message: string;
  oldText?: string;
  nearest?: string;
  lines?: number[];
}

function showFailure(failure: ReaskFailure, number: number): string {
  const { path, code, message, oldText, nearest, lines } = failure;
  const places = lines && lines.length > 0 ? ` (lines ${lines.join(', ')})` : '';
  return [
    `${number}. ${path}: ${code}: ${breakDirectives(message)}${places}`,
    ...(oldText === undefined ? [] : [`The SEARCH text was:\n${quoted(oldText)}`]),
    ...(nearest === undefined ? [] : [`The nearest lines of the file are:\n${quoted(nearest)}`]),
  ].join('\n');
}

/** Asks once more for those edits alone that found no place, or more than one. */
export function buildReaskPrompt(input: {
  task: PromptTask;
  failures: readonly ReaskFailure[];
  files: readonly { path: string; text: string }[];
}): BuiltPrompt {
  const { task, failures, files } = input;
  const shown = files.map(({ path, text }) => `File: ${path}\n${quotedFile(text, 'text')}`);
  const paths = [...new Set(failures.map(({ path }) => path))];
  const taskContent = [
    `# Task: ${task.name}`,
    task.plan.trim(),
    '# What is needed now\n\nYou did this task, and most of your answer is fine. These edits could not be placed, as their SEARCH text is not in the file, or is in it more than once:',
    ...failures.map((failure, at) => showFailure(failure, at + 1)),
    `Hand in these edits again and nothing else, for ${paths.join(', ')} as shown above. Copy each SEARCH text from the file exactly, with enough lines around it to occur only once. Where that is hard, give the whole new file below \`edit: PATH\` instead. Everything else of your first answer is kept.`,
    ownsLines(task.owns),
  ].join('\n\n');
  return assemble('', `# Files as they are\n\n${shown.join('\n\n')}`, taskContent);
}
