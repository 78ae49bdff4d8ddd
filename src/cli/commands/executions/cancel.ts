// millrace exec cancel
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { countOf } from '../../terminal/figures.ts';
import { note, print } from '../../terminal/output.ts';
import { findExecutionId } from './find-execution.ts';

export function addExecCancel(exec: Command, act: Act): void {
  describe(exec.command('cancel'), 'cancel an execution; finished steps are kept', [
    'exec cancel exec_01...',
  ])
    .argument('<id>', 'the execution id, or how it begins')
    .action(act(async () => cancelExecution));
}

async function cancelExecution(options: CommandOptions, args: string[]): Promise<number> {
  const client = await openClient(options);
  const id = await findExecutionId(client, args[0] ?? '');
  const answer = await client.executions.cancel(id);
  if (options['json']) {
    print(JSON.stringify(answer));
    return EXIT.ok;
  }
  const { progress, filesChanged } = answer.finalState;
  if (!answer.cancelled) print(`Already ${answer.status}; nothing to cancel.`);
  else print(`Cancelled after ${progress.current} of ${countOf(progress.total, 'step')}.`);
  if (filesChanged.length > 0) note(`What was done: ${commandLine('exec', 'get', id)}`);
  return EXIT.ok;
}
