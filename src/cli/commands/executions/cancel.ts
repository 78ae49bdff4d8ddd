// millrace exec cancel
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { openClient } from '../../open-client.ts';
import { showOutcome } from '../../show-outcome.ts';
import { countOf } from '../../terminal/figures.ts';
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
  const { progress, filesChanged } = answer.finalState;
  return showOutcome(options, {
    document: answer,
    text: answer.cancelled
      ? `Cancelled after ${progress.current} of ${countOf(progress.total, 'step')}.`
      : `Already ${answer.status}; nothing to cancel.`,
    notes: filesChanged.length > 0 ? [`What was done: ${commandLine('exec', 'get', id)}`] : [],
  });
}
