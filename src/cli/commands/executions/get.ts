// millrace exec get
import type { Command } from 'commander';
import type { Execution, MillraceClient } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { glyphsFor } from '../../terminal/glyphs.ts';
import { listenForLeaving } from '../../terminal/leave-keys.ts';
import { localTime } from '../../terminal/local-time.ts';
import { note, print, styled } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { progressOf } from '../../terminal/progress.ts';
import { drawLine } from '../../terminal/spans.ts';
import { widthOf } from '../../terminal/table.ts';
import { clip } from '../../terminal/text-width.ts';
import { findExecutionId } from './find-execution.ts';
import { followExecution } from './follow.ts';
import { exitOf, fileLines, headLine, nextLines, planLines, summaryLines } from './result-text.ts';
import { openView } from './view/open-view.ts';
import { stepLines } from './view/step-lines.ts';

export function addExecGet(exec: Command, act: Act): void {
  describe(exec.command('get'), 'show an execution: its steps, cost and files', [
    'exec get exec_01...',
    'exec get exec_01... --wait',
  ])
    .argument('<id>', 'the execution id, or how it begins')
    .option('--wait', 'follow it to its end; ctrl-c leaves, the execution continues')
    .action(act(async () => getExecution));
}

/** An exit code when the viewer left before its end. */
async function followToTheEnd(
  client: MillraceClient,
  id: string,
  options: CommandOptions,
): Promise<Execution | number> {
  const keys = listenForLeaving(process.stdin);
  const progress = progressOf(options, process.stderr, process.env);
  const view = openView(progress, 'q leaves, it continues', process.env);
  try {
    return await followExecution(client, id, view, keys.signal);
  } catch (error) {
    if (!keys.signal.aborted) throw error;
    return keys.isInterrupted() ? EXIT.interrupted : EXIT.ok;
  } finally {
    view.close();
    keys.close();
  }
}

function show(execution: Execution): void {
  const glyphs = glyphsFor(process.env);
  const width = widthOf(process.stdout);
  print(headLine(execution, styled, glyphs));
  const { id, task, model, createdAt, result, steps, status } = execution;
  print(`  ${styled('dim', 'Id     ')}  ${id}`);
  print(`  ${styled('dim', 'Task   ')}  ${clip(plain(task), width - 12, glyphs.ellipsis)}`);
  print(`  ${styled('dim', 'Model  ')}  ${plain(model)}`);
  print(`  ${styled('dim', 'Started')}  ${localTime(createdAt)}`);
  if (result?.error) print(`  ${styled('red', 'Error  ')}  ${plain(result.error.message)}`);
  if (steps.length > 0) print('');
  const look = {
    glyphs,
    columns: width - 1,
    tick: 0,
    isOver: status !== 'running',
    runningMs: () => undefined,
  };
  for (const line of stepLines(steps, look)) print(drawLine(line, width - 1, styled));
  const plan = planLines(execution, width);
  const files = fileLines(execution);
  const summary = summaryLines(result?.summary ?? '');
  if (summary.length > 0) print('');
  for (const line of [...summary, ...files, ...plan]) print(line);
  const next = nextLines(execution, styled);
  if (next.length > 0) print('');
  for (const line of next) print(line);
}

async function getExecution(options: CommandOptions, args: string[]): Promise<number> {
  const client = await openClient(options);
  const id = await findExecutionId(client, args[0] ?? '');
  const execution = options['wait']
    ? await followToTheEnd(client, id, options)
    : await client.executions.get(id);
  if (typeof execution === 'number') {
    note(`Still running. Look again with: ${commandLine('exec', 'get', id)}`);
    return execution;
  }
  if (options['json']) print(JSON.stringify(execution));
  else show(execution);
  return options['wait'] ? exitOf(execution) : EXIT.ok;
}
