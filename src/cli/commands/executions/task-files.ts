// The files that go with a task: names, folders and globs from here, by the rules of the tools for assistants.
import { realpathSync } from 'node:fs';
import { allowedEntries } from '../../../config/allowed-files.ts';
import { collectTaskFiles } from '../../../tools/task-files.ts';
import { ToolError } from '../../../tools/tool-error.ts';
import { collectFiles } from '../../../tools/workspace-files.ts';
import type { LeftOut, TaskFiles } from '../../../tools/workspace-files.ts';
import { CommandError } from '../../command-error.ts';
import { plain } from '../../terminal/plain-text.ts';

/** Where the tools speak to an assistant about its user. */
const HINTS: Readonly<Record<string, string>> = {
  FILE_NOT_ALLOWED: 'Leave it out. To send it all the same, name it in MILLRACE_ALLOW.',
  PATH_OUTSIDE_WORKSPACE: 'Choose the folder with -C.',
};

/** Separated by commas, but for those between the braces of a glob. */
export function entriesIn(list: string): string[] {
  const entries: string[] = [];
  let depth = 0;
  let entry = '';
  for (const sign of list) {
    if (sign === '{') depth += 1;
    if (sign === '}') depth -= 1;
    if (sign === ',' && depth <= 0) {
      entries.push(entry.trim());
      entry = '';
    } else entry += sign;
  }
  return [...entries, entry.trim()].filter((each) => each !== '');
}

/** Their texts by their paths from here, as the artifacts will name them. */
export async function readTaskFiles(
  lists: readonly string[],
  { instructions }: { instructions: boolean },
): Promise<TaskFiles> {
  const place = { root: realpathSync.native(process.cwd()), allowed: allowedEntries(process.env) };
  try {
    const entries = lists.flatMap(entriesIn);
    return await (instructions ? collectTaskFiles : collectFiles)(place, entries);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { code, sentence, hint } = error;
    throw new CommandError({
      code,
      message: plain(`--files: ${sentence}`),
      hint: HINTS[code] ?? hint ?? 'Run the command with --help to see what it takes.',
    });
  }
}

const NAMED = 5;

/** `Not sent: a.bin is not text; .env may hold secrets; and 3 more.` */
export function leftOutText(leftOut: readonly LeftOut[]): string {
  const named = leftOut.slice(0, NAMED).map(({ path, why }) => `${path} ${why}`);
  const more = leftOut.length - named.length;
  return plain(`Not sent: ${[...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')}.`);
}
