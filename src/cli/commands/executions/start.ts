// millrace exec start
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { openClient } from '../../open-client.ts';
import { findExecutionId } from './find-execution.ts';
import { addFollowFlags, isFollowed, startAndFollow } from './start-and-follow.ts';

export function addExecStart(exec: Command, act: Act): void {
  const start = describe(exec.command('start'), 'run the plan of a dry run, as it was shown', [
    'exec start exec_01...',
  ]).argument('<id>', 'the id of the dry run, or how it begins');
  addFollowFlags(start).action(act(async () => startPlan));
}

async function startPlan(options: CommandOptions, args: string[]): Promise<number> {
  const client = await openClient(options, { waits: true, outlives: !isFollowed(options) });
  const id = await findExecutionId(client, args[0] ?? '');
  return startAndFollow(client, options, () => client.executions.runPlan(id));
}
