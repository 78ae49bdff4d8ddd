// job and history: single jobs on a server, and what has run there.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';

export function addJobs(program: Command, act: Act): void {
  const job = describe(program.command('job'), 'run single jobs on a server', [
    "job run --model sim-fast --prompt 'Say hello'",
    'job get job_01... --wait 30',
  ]);
  describe(
    job.command('run'),
    'submit a prompt and show its answer as it is written; ctrl-c cancels the job',
    [
      "job run --model sim-fast --prompt 'Say hello'",
      'job run --model sim-standard --prompt @task.md --json',
      'job run --model sim-standard --detach < task.md',
    ],
  )
    .requiredOption('--model <id>', 'the model')
    .option('--prompt <text>', 'a text, @file, or - for standard input')
    .option('--max-tokens <number>', 'cap on output tokens', '4096')
    .option('--stream <id>', 'name of the stream', 'cli')
    .option('--timeout <ms>', 'timeout of the job in milliseconds')
    .option('--detach', 'print the job id and leave')
    .action(act(async () => (await import('./job.ts')).runJob));
  describe(job.command('get'), "show a job's output, or how far it is", [
    'job get job_01...',
    'job get job_01... --wait 30 --json',
  ])
    .argument('<id>', 'the job id')
    .option('--wait <seconds>', 'wait up to 60 seconds for its end')
    .action(act(async () => (await import('./job.ts')).getJob));
  describe(job.command('cancel'), 'cancel a job', ['job cancel job_01...'])
    .argument('<id>', 'the job id')
    .action(act(async () => (await import('./job.ts')).cancelJob));
}

export function addHistory(program: Command, act: Act): void {
  describe(program.command('history'), 'list your runs, or show one with its streams', [
    'history --limit 20 --status failed',
    'history run_01...',
  ])
    .argument('[id]', 'a run id')
    .option('--limit <number>', 'runs per page, 1 to 100')
    .option('--offset <number>', 'runs to skip')
    .option('--status <status>', 'pending, in_progress, paused, complete, failed or cancelled')
    .option('--feature <text>', 'only runs whose feature contains this')
    .option('--since <time>', 'only runs started at or after this ISO time')
    .option('--until <time>', 'only runs started before this ISO time')
    .action(act(async () => (await import('../history/history.ts')).showHistory));
}
