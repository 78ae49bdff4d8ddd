// The files that go with a task: names, folders and globs from here, by the rules of the tools for assistants.
import { realpathSync } from 'node:fs';
import { allowedEntries } from '../../../config/allowed-files.ts';
import { INSTRUCTION_NAMES } from '../../../domain/prompt/instructions.ts';
import { createWalker } from '../../../orchestrator/index.ts';
import type { FileAccess } from '../../../tools/denied-files.ts';
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

/** The repository's instructions at its root, as its version control would list them: no link, nothing ignored. */
async function findInstructions(root: string): Promise<string | undefined> {
  const { listing } = await createWalker(root).walk();
  return INSTRUCTION_NAMES.find((name) => listing.files.includes(name));
}

/** With the instructions of the root, where they can be sent: nobody named them, so it is no error if not. */
async function collectAll(
  place: FileAccess,
  entries: readonly string[],
  wantsInstructions: boolean,
): Promise<TaskFiles> {
  const found = await collectFiles(place, entries);
  // Who sends no files works on no project.
  if (!wantsInstructions || entries.length === 0) return found;
  const path = await findInstructions(place.root);
  if (path === undefined || Object.hasOwn(found.contents, path)) return found;
  return collectFiles(place, [...entries, path]).catch(() => found);
}

/** Their texts by their paths from here, as the artifacts will name them. */
export async function readTaskFiles(
  lists: readonly string[],
  { instructions }: { instructions: boolean },
): Promise<TaskFiles> {
  const place = { root: realpathSync.native(process.cwd()), allowed: allowedEntries(process.env) };
  try {
    return await collectAll(place, lists.flatMap(entriesIn), instructions);
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
