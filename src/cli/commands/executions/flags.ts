// exec: tasks that a server plans and runs.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';

export function addExecutions(program: Command, act: Act): void {
  describe(program.command('exec'), 'let a server plan a task and run it, step by step', [
    "exec 'Add a dark mode' --files src/theme.ts,src/app.ts --wait",
    "exec 'Add a dark mode' --dry-run     # the plan only",
    "exec 'Add a dark mode' --budget 0.50 --json",
  ])
    .argument('<task>', 'what to do, or - for standard input')
    .option('--files <list>', 'files to send along, separated by commas')
    .option('--model <id>', "the model; without it the server's default")
    .option('--provider <name>', 'its provider, where the name of the model does not tell')
    .option('--dry-run', 'make the plan and show it; nothing is run')
    .option('--max-steps <number>', 'steps that the plan may have, 1 to 200')
    .option('--max-tokens <number>', "how long each answer may be; without it the model's limit")
    .option('--timeout <ms>', 'time for all of it in milliseconds')
    .option('--budget <dollars>', 'stop before the call that could cost more than this')
    .option('--wait', 'show each step as it ends, then the result; ctrl-c cancels')
    .action(act(async () => (await import('./exec.ts')).runExecution));
}
