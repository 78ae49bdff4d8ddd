// What commands that start an execution have in common: they follow it to its end, or print its id.
import type { Command } from 'commander';
import type { Execution, MillraceClient, StartedExecution } from '../../../client/index.ts';
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { glyphsFor } from '../../terminal/glyphs.ts';
import { note, print, styledNote } from '../../terminal/output.ts';
import { progressOf } from '../../terminal/progress.ts';
import { widthOf } from '../../terminal/table.ts';
import { orSayWhere, untilEnded } from '../jobs/until-ended.ts';
import { followExecution } from './follow.ts';
import { exitOf, fileLines, headLine, nextLines, planLines, summaryLines } from './result-text.ts';
import { openView } from './view/open-view.ts';

export function addFollowFlags(command: Command): Command {
  return command
    .option('--wait', 'follow it to its end (default on a terminal); ctrl-c cancels it')
    .option('--detach', 'print the id and leave (default in scripts)');
}

/** In a terminal people want to see it; a script wants the id. */
export function isFollowed(options: CommandOptions): boolean {
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

export async function startAndFollow(
  client: MillraceClient,
  options: CommandOptions,
  start: () => Promise<StartedExecution>,
): Promise<number> {
  if (isFollowed(options)) return followToItsEnd(client, options, start);
  const started = await start();
  print(options['json'] ? JSON.stringify(started) : started.id);
  return EXIT.ok;
}

async function followToItsEnd(
  client: MillraceClient,
  options: CommandOptions,
  start: () => Promise<StartedExecution>,
): Promise<number> {
  const progress = options['json'] ? 'quiet' : progressOf(options, process.stderr, process.env);
  const view = openView(progress, 'ctrl-c cancels', process.env);
  let id = '';
  const { value: execution, stopped } = await untilEnded(
    async (signal) => {
      // Not interrupted in the middle: it would keep running and nobody would know its id.
      ({ id } = await start());
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
