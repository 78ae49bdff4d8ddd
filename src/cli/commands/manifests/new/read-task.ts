// What `millrace new` plans: words on the command line, a text, or a task list of spec-kit.
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { isTaskList } from '../../../../manifest/compose/spec-kit.ts';
import { CommandError, usageError } from '../../../command-error.ts';
import type { CommandOptions } from '../../../command.ts';
import { STDIN } from '../source.ts';

export interface GivenTask {
  /** In the user's words, the words of the command line first. */
  task: string;
  /** Tasks of spec-kit, which are a plan already: no model is asked. */
  list: string | undefined;
}

/** As the server's for an execution. */
const MAX_TASK = 100_000;

async function readFrom(from: string): Promise<string> {
  if (from === STDIN) return readAll(process.stdin);
  try {
    return await readFile(from, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError({
      code: 'TASK_UNREADABLE',
      message: `Cannot read ${from}: ${code === 'EISDIR' ? 'it is a folder' : message}`,
      hint: 'Name a text file that you can read, or - for standard input.',
    });
  }
}

export async function readTask(
  options: CommandOptions,
  words: string | undefined,
): Promise<GivenTask> {
  const { from, as } = options;
  if (as !== undefined && typeof from !== 'string') {
    throw usageError('--as says what --from has, and there is no --from.', 'Name a file with it.');
  }
  const read = typeof from === 'string' ? await readFrom(from) : '';
  const task = [words ?? '', read].filter((text) => text.trim() !== '').join('\n\n');
  if (task === '') {
    throw usageError('There is no task.', 'Say what to do, or name a file with --from.');
  }
  const isList = as === 'spec-kit' || (as === undefined && isTaskList(read));
  if (!isList && task.length > MAX_TASK) {
    throw usageError(
      `The task has ${task.length} characters; at most ${MAX_TASK} are possible.`,
      'Plan one part of it at a time.',
    );
  }
  return { task, list: isList ? read : undefined };
}
