// millrace job: single prompts on a server.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { addJobCancel } from './cancel.ts';
import { addJobGet } from './get.ts';
import { addJobList } from './list.ts';
import { addJobRun } from './run.ts';

export function addJobs(program: Command, act: Act): void {
  const job = describe(program.command('job'), 'run single prompts on the server, and list jobs', [
    "job run --model sim-fast --prompt 'Say hello'",
    'job list --kind call',
    'job get job_01... --wait 30s',
  ]).helpCommand(false);
  addJobRun(job, act);
  addJobList(job, act);
  addJobGet(job, act);
  addJobCancel(job, act);
}
