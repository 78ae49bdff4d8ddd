// What `millrace exec` sends: the task, the files that come with it, and the limits.
import { readFile } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { NewExecution } from '../../../client/index.ts';
import { leadsOutside } from '../../../platform/inside-folder.ts';
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { dollarsOf, durationOf, numberOf, reasoningOf } from '../../flag-values.ts';

const SHORTEST_MS = 1000;
const LONGEST_MS = 3_600_000;

async function readTask(given: string | undefined): Promise<string> {
  const task = given === '-' ? await readAll(process.stdin) : (given ?? '');
  if (task.trim() === '') throw usageError('The task is empty. Say what to do.');
  return task;
}

function isLinkOutside(name: string): boolean {
  try {
    return leadsOutside(process.cwd(), name) !== undefined;
  } catch {
    // There is no such file: reading it says so.
    return false;
  }
}

/** The texts of the files, by their path from here, as the artifacts will name them. */
async function readFiles(list: string | undefined): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const name of (list ?? '').split(',').map((each) => each.trim())) {
    if (name === '') continue;
    const path = relative(process.cwd(), resolve(name)).split(sep).join('/');
    if (path.startsWith('../')) {
      throw usageError(`--files: ${name} is outside this folder`, 'Choose the folder with -C.');
    }
    if (isLinkOutside(name)) {
      throw usageError(`--files: ${name} is a link to a file outside this folder`);
    }
    try {
      contents[path] = await readFile(name, 'utf8');
    } catch {
      throw usageError(`--files: cannot read ${name}`);
    }
  }
  return contents;
}

export async function readRequest(
  options: CommandOptions,
  given: string | undefined,
): Promise<NewExecution> {
  const task = await readTask(given);
  const contents = await readFiles(options['files'] as string | undefined);
  const maxSteps = numberOf(options, 'maxSteps', '--max-steps');
  const maxTokens = numberOf(options, 'maxTokens', '--max-tokens');
  const reasoning = reasoningOf(options);
  const timeout = durationOf(options, 'timeout', '--timeout', {
    minMs: SHORTEST_MS,
    maxMs: LONGEST_MS,
  });
  const budgetUsd =
    dollarsOf(options, 'maxCost', '--max-cost') ?? dollarsOf(options, 'budget', '--budget');
  return {
    task,
    ...(Object.keys(contents).length > 0
      ? { context: { contents, files: Object.keys(contents) } }
      : {}),
    options: {
      dryRun: options['dryRun'] === true,
      ...(maxSteps === undefined ? {} : { maxSteps }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(budgetUsd === undefined ? {} : { budgetUsd }),
    },
    ...(options['model'] === undefined ? {} : { model: String(options['model']) }),
    ...(options['provider'] === undefined ? {} : { provider: String(options['provider']) }),
  };
}
