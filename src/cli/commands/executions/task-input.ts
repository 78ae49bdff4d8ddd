// What `millrace exec` sends: the task, the files that come with it, and the limits.
import { text as readAll } from 'node:stream/consumers';
import type { NewExecution } from '../../../client/index.ts';
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { note } from '../../terminal/output.ts';
import { leftOutText, readTaskFiles } from './task-files.ts';
import { dollarsOf, durationOf, numberOf, reasoningOf, serviceTierOf } from '../../flag-values.ts';

const SHORTEST_MS = 1000;
const LONGEST_MS = 3_600_000;

async function readTask(given: string | undefined): Promise<string> {
  const task = given === '-' ? await readAll(process.stdin) : (given ?? '');
  if (task.trim() === '') throw usageError('The task is empty. Say what to do.');
  return task;
}

export async function readRequest(
  options: CommandOptions,
  given: string | undefined,
): Promise<NewExecution> {
  const task = await readTask(given);
  const { contents, leftOut } = await readTaskFiles(
    (options['files'] as string[] | undefined) ?? [],
    { instructions: options['instructions'] !== false },
  );
  if (leftOut.length > 0) note(leftOutText(leftOut));
  const { model } = readClientSettings(options, process.env, process.cwd());
  const maxSteps = numberOf(options, 'maxSteps', '--max-steps');
  const maxTokens = numberOf(options, 'maxTokens', '--max-tokens');
  const reasoning = reasoningOf(options);
  const serviceTier = serviceTierOf(options);
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
      ...(serviceTier === undefined ? {} : { serviceTier }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(budgetUsd === undefined ? {} : { budgetUsd }),
    },
    ...(model === undefined ? {} : { model: model.value }),
    ...(options['provider'] === undefined ? {} : { provider: String(options['provider']) }),
  };
}
