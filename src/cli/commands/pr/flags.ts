// millrace pr
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';

const SUMMARY = 'open a pull request for the branch of a run, or bring it up to date';

const collect = (word: string, list: string[] = []) => [...list, ...word.split(',')];

export function addPr(program: Command, act: Act): void {
  const pr = describe(program.command('pr'), SUMMARY, [
    'pr',
    'pr run_01... --draft --reviewer octocat',
    'pr status',
    'pr fix',
  ])
    .argument('[run]', 'the run id, or how it begins (default: the last run)')
    .option('--base <branch>', 'the branch that will take it (default: of the repository)')
    .option('--remote <name>', 'where to push (default: origin)')
    .option('--title <text>', 'default: the name of the manifest')
    .option('--draft', 'open it as a draft')
    .option('--stack', 'open one for each wave, each on top of the one before')
    .option('--reviewer <name>', 'ask this user for a review (repeatable, or with commas)', collect)
    .option('--sandbox-commands', 'run the checks in the sandbox')
    .action(act(async () => (await import('./open.ts')).open));
  describe(pr.command('fix'), 'do what reviews and failed checks of it ask for, and push that', [
    'pr fix',
    'pr fix 12',
  ])
    .argument('[run]', 'the run id, or the number of the pull request (default: the last run)')
    .option('--sandbox-commands', 'run the checks in the sandbox')
    .action(act(async () => (await import('./fix.ts')).fix));
  describe(pr.command('status'), 'show the pull request of a run, its checks and comments', [
    'pr status',
  ])
    .argument('[run]', 'the run id, or the number of the pull request (default: the last run)')
    .action(act(async () => (await import('./status.ts')).status));
}
