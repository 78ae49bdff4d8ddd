// millrace job cancel
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { openClient } from '../../open-client.ts';
import { showOutcome } from '../../show-outcome.ts';
import { findJobId } from './find-job.ts';

export function addJobCancel(job: Command, act: Act): void {
  describe(job.command('cancel'), 'cancel a job', ['job cancel job_01...'])
    .argument('<id>', 'the job id, or how it begins')
    .action(act(async () => cancelJob));
}

async function cancelJob(options: CommandOptions, args: string[]): Promise<number> {
  const client = await openClient(options);
  const answer = await client.cancelJob(await findJobId(client, args[0] ?? ''));
  return showOutcome(options, {
    document: answer,
    text: answer.cancelled ? 'Cancelled.' : 'The job had already ended.',
  });
}
