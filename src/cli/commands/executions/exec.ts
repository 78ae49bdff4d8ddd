// millrace exec: a task that the server plans and runs.
import type { Command } from 'commander';
import type { Execution, MillraceClient, NewExecution } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { reasoningFlag } from '../../flag-values.ts';
import { hiddenOption } from '../../hidden-option.ts';
import { openClient } from '../../open-client.ts';
import { glyphsFor } from '../../terminal/glyphs.ts';
import { note, print, styledNote } from '../../terminal/output.ts';
import { progressOf } from '../../terminal/progress.ts';
import { widthOf } from '../../terminal/table.ts';
import { orSayWhere, untilEnded } from '../jobs/until-ended.ts';
import { addExecCancel } from './cancel.ts';
import { followExecution } from './follow.ts';
import { addExecGet } from './get.ts';
import { addExecList } from './list.ts';
import { exitOf, fileLines, headLine, nextLines, planLines, summaryLines } from './result-text.ts';
import { openView } from './view/open-view.ts';

export function addExecutions(program: Command, act: Act): void {
  const exec = describe(program.command('exec'), 'let the server plan a task and run it', [
    "exec 'Add a dark mode' --files src/theme.ts,src/app.ts",
    "exec 'Add a dark mode' --dry-run     # the plan only",
    "exec 'Add a dark mode' --max-cost 0.50 --detach",
    'exec list',
    'exec get exec_01...',
    'exec -- list                         # a task of that name',
  ]).helpCommand(false);
  addTaskFlags(exec).action(act(async () => runExecution));
  addExecList(exec, act);
  addExecGet(exec, act);
  addExecCancel(exec, act);
  // What a task after `--` is turned into: its words are never a subcommand.
  addTaskFlags(exec.command('run', { hidden: true })).action(act(async () => runExecution));
}

function addTaskFlags(command: Command): Command {
  return command
    .argument('<task>', 'what to do, or - for standard input')
    .option('--files <list>', 'files to send along, separated by commas')
    .option('--model <id>', "the model (default: the server's)")
    .option('--provider <name>', 'its provider, if the model id does not tell')
    .option('--dry-run', 'make the plan and show it; run nothing')
    .option('--max-steps <number>', 'steps that the plan may have, 1 to 200')
    .option('--max-tokens <number>', "cap on the output of each call (default: the model's)")
    .addOption(reasoningFlag())
    .option('--max-cost <dollars>', 'stop before the call that could cost more than this')
    .option('--timeout <time>', 'stop after this time: 90s, 5m, 1h (default 10m)')
    .option('--wait', 'follow it to its end (default on a terminal); ctrl-c cancels it')
    .option('--detach', 'print the id and leave (default in scripts)')
    .addOption(hiddenOption('--budget <dollars>'));
}

/** In a terminal people want to see it; a script wants the id. */
function isFollowed(options: CommandOptions): boolean {
  if (options['wait'] && options['detach']) {
    throw usageError('--wait and --detach cannot be used together');
  }
  // A plan that is only made to be looked at is worth waiting for.
  if (options['wait'] || options['dryRun']) return true;
  if (options['detach'] || options['json']) return false;
  const progress = progressOf(options, process.stderr, process.env);
  return process.stdout.isTTY && progress === 'tty';
}

function show(execution: Execution): void {
  const { result, status } = execution;
  const isDry = result?.plan !== undefined;
  note(headLine(execution, styledNote, glyphsFor(process.env)));
  if (!isDry) for (const line of summaryLines(result?.summary ?? status)) print(line);
  const lines = isDry ? planLines(execution, widthOf(process.stdout)) : fileLines(execution);
  for (const line of lines) print(line);
  for (const line of nextLines(execution, styledNote)) note(line);
}

async function runExecution(options: CommandOptions, args: string[]): Promise<number> {
  const isWatched = isFollowed(options);
  const { readRequest } = await import('./task-input.ts');
  const request = await readRequest(options, args[0]);
  const client = await openClient(options, { waits: true, outlives: !isWatched });
  if (isWatched) return runAndFollow(client, request, options);
  const started = await client.executions.create(request);
  print(options['json'] ? JSON.stringify(started) : started.id);
  return EXIT.ok;
}

async function runAndFollow(
  client: MillraceClient,
  request: NewExecution,
  options: CommandOptions,
): Promise<number> {
  const progress = options['json'] ? 'quiet' : progressOf(options, process.stderr, process.env);
  const view = openView(progress, 'ctrl-c cancels', process.env);
  let id = '';
  const { value: execution, stopped } = await untilEnded(
    async (signal) => {
      // Not interrupted in the middle: it would keep running and nobody would know its id.
      ({ id } = await client.executions.create(request));
      if (progress === 'plain') note(`Execution ${id}`);
      const where = `The execution continues on the server. See it with: ${commandLine('exec', 'get', id)}`;
      return orSayWhere(followExecution(client, id, view, signal), signal, where);
    },
    async () => {
      await client.executions.cancel(id);
      const cancelled = await client.executions.get(id);
      view.show(cancelled);
      return cancelled;
    },
  ).finally(() => view.close());
  if (options['json']) print(JSON.stringify(execution));
  else show(execution);
  return stopped ?? exitOf(execution);
}
