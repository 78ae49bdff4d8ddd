// millrace exec: a task that the server plans and runs.
import type { Command } from 'commander';
import type { MillraceClient, NewExecution, StartedExecution } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { instructionsFlag, reasoningFlag, serviceTierFlag } from '../../flag-values.ts';
import { hiddenOption } from '../../hidden-option.ts';
import { openClient } from '../../open-client.ts';
import { note } from '../../terminal/output.ts';
import { addExecCancel } from './cancel.ts';
import { addExecGet } from './get.ts';
import { addExecList } from './list.ts';
import { addExecStart } from './start.ts';
import { addFollowFlags, isFollowed, startAndFollow } from './start-and-follow.ts';

export function addExecutions(program: Command, act: Act): void {
  const exec = describe(program.command('exec'), 'let the server plan a task and run it', [
    "exec 'Add a dark mode' --files src/theme.ts,src/app.ts",
    "exec 'Find unused exports' --files 'src/**/*.ts'",
    "exec 'Add a dark mode' --dry-run     # the plan only",
    "exec 'Add a dark mode' --max-cost 0.50 --detach",
    'exec list',
    'exec get exec_01...',
    'exec -- list                         # a task of that name',
  ]).helpCommand(false);
  addTaskFlags(exec).action(act(async () => runExecution));
  addExecList(exec, act);
  addExecGet(exec, act);
  addExecStart(exec, act);
  addExecCancel(exec, act);
  // What a task after `--` is turned into: its words are never a subcommand.
  addTaskFlags(exec.command('run', { hidden: true })).action(act(async () => runExecution));
}

function addTaskFlags(command: Command): Command {
  const flagged = command
    .argument('<task>', 'what to do, or - for standard input')
    .option(
      '--files <list>',
      'files, folders and globs to send along, separated by commas',
      (list: string, lists: string[] | undefined): string[] | undefined => [...(lists ?? []), list],
    )
    .addOption(instructionsFlag())
    .option('--model <id>', "the model (default: the server's)")
    .option('--provider <name>', 'its provider, if the model id does not tell')
    .option('--dry-run', 'make the plan and show it; run nothing')
    .option('--max-steps <number>', 'steps that the plan may have, 1 to 200')
    .option('--max-tokens <number>', "cap on the output of each call (default: the model's)")
    .addOption(reasoningFlag())
    .addOption(serviceTierFlag())
    .option('--max-cost <dollars>', 'stop before the call that could cost more than this')
    .option('--timeout <time>', 'stop after this time: 90s, 5m, 1h (default 10m)')
    .addOption(hiddenOption('--budget <dollars>'));
  return addFollowFlags(flagged);
}

async function runExecution(options: CommandOptions, args: string[]): Promise<number> {
  const isWatched = isFollowed(options);
  const { readRequest } = await import('./task-input.ts');
  const request = await readRequest(options, args[0]);
  const client = await openClient(options, { waits: true, outlives: !isWatched });
  return startAndFollow(client, options, () => createExecution(client, request));
}

async function createExecution(
  client: MillraceClient,
  request: NewExecution,
): Promise<StartedExecution> {
  const started = await client.executions.create(request);
  if (request.model === undefined) await sayIfSimulated(client, started.id);
  return started;
}

/** Who chose no model may not know that nothing real answers. */
async function sayIfSimulated(client: MillraceClient, id: string): Promise<void> {
  // It runs already: what cannot be said about it must not keep its id from the user.
  const { model, simulated } = (await client.executions.get(id).catch(() => undefined)) ?? {};
  if (simulated !== true) return;
  note(
    `No model was chosen, so the simulator answers (${model}): what it writes is made up. ` +
      'Choose a model with --model.',
  );
}
