// The next question of a conversation that has begun. It begins with all that was asked before, to
// the letter: the vendor has that in its cache.
import { breakDirectives, quoted, quotedFile } from './prompt-text.ts';
import { assemble, ownsLines } from './prompt.ts';
import type { BuiltPrompt } from './prompt.ts';

/** What was asked before, in its parts. */
export interface AskedBefore {
  prompt: string;
  structuredPrompt?:
    | {
        systemContent?: string | undefined;
        projectContext?: string | undefined;
        streamContext?: string | undefined;
        taskContent?: string | undefined;
      }
    | undefined;
}

export interface UnusableChange {
  path: string;
  code: string;
  message: string;
  /** The text that the edit looks for. */
  oldText?: string;
  nearest?: string;
  /** Lines that a whole text leaves out. */
  dropped?: string;
  lines?: readonly number[];
}

export interface FileNow {
  path: string;
  /** Undefined when there is no such file, or none that can be shown. */
  text: string | undefined;
  isWhole: boolean;
  why?: string;
}

function continued(before: AskedBefore, owns: readonly string[], added: readonly string[]) {
  const { structuredPrompt: parts } = before;
  const blocks = [parts?.taskContent ?? before.prompt, ...added, ownsLines(owns)];
  const taskContent = blocks.filter((block) => block !== '').join('\n\n');
  const isFollowUp = true;
  if (parts?.taskContent === undefined) {
    return assemble('', '', taskContent, { isFollowUp, systemContent: '' });
  }
  const { projectContext = '', streamContext = '', systemContent = '' } = parts;
  return assemble(projectContext, streamContext, taskContent, { isFollowUp, systemContent });
}

function showNow({ path, text, isWhole, why }: FileNow): string {
  if (text === undefined) return `File: ${path}\n${why ?? 'There is no such file.'}`;
  return isWhole
    ? `File: ${path}\n${quotedFile(text, 'text')}`
    : `File: ${path}\n${quoted(text, 'text beginning')}`;
}

function showFiles(title: string, files: readonly FileNow[]): string[] {
  return files.length === 0 ? [] : [`${title}\n\n${files.map(showNow).join('\n\n')}`];
}

/** Shows files that the model asked for. */
export function answerReads(
  before: AskedBefore,
  {
    owns,
    files,
    roundsLeft,
  }: { owns: readonly string[]; files: readonly FileNow[]; roundsLeft: number },
): BuiltPrompt {
  const rest =
    roundsLeft > 0
      ? 'Do the task now, or ask for more files if you must.'
      : 'No more files can be shown: do the task now.';
  return continued(before, owns, [...showFiles('# Files that you asked for', files), rest]);
}

function showChange(change: UnusableChange, number: number): string {
  const { path, code, message, oldText, nearest = '', dropped = '', lines = [] } = change;
  const places = lines.length > 0 ? ` (lines ${lines.join(', ')})` : '';
  return [
    `${number}. ${path}: ${code}: ${breakDirectives(message)}${places}`,
    ...(oldText === undefined ? [] : [`The SEARCH text was:\n${quoted(oldText)}`]),
    ...(dropped === '' ? [] : [`These lines are missing:\n${quoted(dropped)}`]),
    ...(nearest === '' ? [] : [`The nearest lines of the file are:\n${quoted(nearest)}`]),
  ].join('\n');
}

export interface AskAgain {
  owns: readonly string[];
  answer: string;
  /** What is wrong with changes to files that are known. */
  changes: readonly UnusableChange[];
  /** What is wrong otherwise. */
  problems: readonly string[];
  /** Files that are not, or no longer, as they were shown. */
  files: readonly FileNow[];
  /** Files whose changes are kept. */
  kept: readonly string[];
  /** Files whose changes the model still owes. */
  owed: readonly string[];
}

/** Asks once more for the part of an answer that cannot be used. */
export function askAgain(before: AskedBefore, again: AskAgain): BuiltPrompt {
  const { owns, answer, changes, problems, files, kept, owed } = again;
  const wrong = [
    ...problems.map((problem) => `- ${breakDirectives(problem)}`),
    ...changes.map((change, at) => showChange(change, at + 1)),
  ];
  const what = owed.length > 0 ? `Hand in the changes of ${owed.join(', ')} again` : 'Answer again';
  const rest =
    kept.length > 0
      ? `, and nothing else: your changes of ${kept.join(', ')} are kept as they are.`
      : ', all of them, in one block.';
  return continued(before, owns, [
    `# Your answer so far\n\n${quoted(answer, 'text')}`,
    `# What is needed now\n\nNothing of it has been written yet. This cannot be used:`,
    ...wrong,
    ...showFiles('These files are now:', files),
    `${what}${rest} SEARCH texts are copied exactly from the file as it was shown last, with enough lines to occur only once.`,
  ]);
}
