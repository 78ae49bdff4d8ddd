// run and what looks at runs: they work in a project on this machine.
import type { Command } from 'commander';
import { Option } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { instructionsFlag, reasoningFlag, serviceTierFlag } from '../../flag-values.ts';
import { gitFlag } from './git-flag.ts';
import { collect } from './collect.ts';
import { reviewInFlag } from './review-in-flag.ts';

const RUN_ID = 'id of a run, may be shortened (default: the last one)';

export function addRuns(program: Command, actAsIs: Act): void {
  // Loaded with the command: --help needs nothing of the orchestrator.
  const act: Act = (load) =>
    actAsIs(async () => {
      const [{ withHints }, action] = await Promise.all([import('./hints.ts'), load()]);
      return withHints(action);
    });
  addRun(program, act);
  addViews(program, act);
  addStop(program, act);
  addChanges(program, act);
}

function addRun(program: Command, act: Act): void {
  describe(program.command('run'), 'run a manifest in this project', [
    'run',
    'run feature.yaml --max-cost 2.50',
    'run --only api,client --review',
  ])
    .argument('[manifest]', 'the manifest', 'millrace.yaml')
    .option('--only <stream>', 'only these streams (repeatable, or with commas)', collect)
    .option('--from <stream>', 'these streams and their dependents, again', collect)
    .option('--skip <stream>', 'leave these streams out; they count as done', collect)
    .option('--concurrency <number>', 'streams that run at the same time', '8')
    .option('--provider-concurrency <list>', 'limits per provider, such as openai=4,google=2')
    .option('--model <id>', 'the model; overrides the manifest')
    .option('--agent <name>', 'who works on the streams; overrides the manifest')
    .addOption(reasoningFlag())
    .addOption(serviceTierFlag())
    .option('--max-cost <dollars>', 'stop before the cost exceeds this')
    .option('--max-attempts <number>', 'attempts at a stream, fixes included (default 3)')
    .option('--timeout <time>', 'stop after this time: 90s, 5m, 1h')
    .option('--dry-run', 'show the plan and the commands; run nothing')
    .option('--review', 'show every change and ask before writing it')
    .addOption(reviewInFlag('ask about every change in the browser before writing it'))
    .addOption(
      new Option('--apply <mode>', 'write finished work, or keep it for "millrace apply"').choices([
        'auto',
        'never',
      ]),
    )
    .addOption(gitFlag())
    .option('--base <commit>', 'with --git branch: where a new branch begins (default: HEAD)')
    .option('--signoff', 'with --git: a Signed-off-by line in every commit')
    .option('--verify-concurrency <number>', 'streams whose checks run at the same time', '1')
    .option('--sandbox-commands', 'run the commands of the manifest in the sandbox')
    .option('--agents-without-sandbox', 'where no sandbox can be had; asks at a terminal')
    .option('--keep', 'keep the copies of agents whose attempts fail or are stopped')
    .option('--private', 'do not report progress to the server while the run is under way')
    .option('--no-recheck', 'do not verify earlier streams again when their files change')
    .option('--no-cache', 'ask the model even when the same question was answered before')
    .addOption(instructionsFlag())
    .option('--detach', 'run in the background and print the id of the run')
    .option('--no-warm', 'start all streams at once instead of warming the prompt cache first')
    .action(act(async () => (await import('./run.ts')).run));
}

function addViews(program: Command, act: Act): void {
  describe(program.command('runs'), 'list the runs of this project, newest first', [
    'runs',
    'runs --limit 50 --json',
  ])
    .option('--limit <number>', 'how many to show (default 20)')
    .action(act(async () => (await import('./runs.ts')).runs));
  describe(program.command('watch'), 'follow a run until it ends; q quits, the run continues', [
    'watch',
    'watch run_01... --json',
  ])
    .argument('[run]', RUN_ID)
    .action(act(async () => (await import('./watch.ts')).watch));
  describe(program.command('status'), 'show the state of a run', ['status', 'status --json'])
    .argument('[run]', RUN_ID)
    .action(act(async () => (await import('./status.ts')).status));
  describe(program.command('logs'), 'show what happened in a run, with the output of commands', [
    'logs',
    'logs api',
    'logs run_01... api -f --json',
  ])
    .argument('[run]', `${RUN_ID}, or a stream of the last one`)
    .argument('[stream]', 'only this stream, with its fixes')
    .option('-f, --follow', 'keep following until the run ends')
    .action(act(async () => (await import('./logs.ts')).logs));
  describe(program.command('explain'), 'explain why a run failed and what to do', [
    'explain',
    'explain run_01... --json',
  ])
    .argument('[run]', RUN_ID)
    .action(act(async () => (await import('./explain.ts')).explain));
}

function addStop(program: Command, act: Act): void {
  describe(program.command('stop'), 'stop a run, also one in the background', [
    'stop',
    'stop run_01... --force',
  ])
    .argument('[run]', RUN_ID)
    .option('--force', 'kill it instead of stopping it cleanly')
    .action(act(async () => (await import('./stop.ts')).stop));
}

function addChanges(program: Command, act: Act): void {
  describe(program.command('diff'), 'show what a run or an execution changes', [
    'diff',
    'diff --stat',
    'diff exec_01...       # the result of an execution, before or after apply',
    'diff run_01... api > api.patch',
  ])
    .argument('[run]', `${RUN_ID}; a stream of the last one; or an execution`)
    .argument('[stream]', 'only this stream, with its fixes')
    .option('--stat', 'only names and counts')
    .action(act(async () => (await import('./diff.ts')).diff));
  describe(program.command('apply'), 'write what a run kept, or the result of an execution', [
    'apply',
    'apply exec_01...',
    'apply exec_01... --review              # choose by hunk what is written',
    'apply run_01... --file src/api.ts',
  ])
    .argument('[run]', `${RUN_ID}, or an execution`)
    .option('--file <path>', 'only this file')
    .option('--review', 'of an execution: ask about every change before writing it')
    .addOption(reviewInFlag('the same in the browser; the command waits'))
    .option('--again', 'forget what the review has decided so far')
    .action(act(async () => (await import('./apply.ts')).apply));
  describe(program.command('review'), 'look through what a run wrote, and take back parts of it', [
    'review',
    'review run_01...',
    'review exec_01...     # the result of an execution, after apply',
  ])
    .argument('[run]', `${RUN_ID}, or an execution`)
    .option('--again', 'ask about every hunk again')
    .addOption(reviewInFlag('look through it in the browser; the command waits'))
    .action(act(async () => (await import('./review-run.ts')).review));
  describe(program.command('revert'), 'undo everything that a run or an execution wrote', [
    'revert',
    'revert exec_01...',
    'revert run_01... --force',
  ])
    .argument('[run]', `${RUN_ID}, or an execution`)
    .option('--force', 'also files that changed since')
    .option('--delete-branch', 'of a run with --git branch: delete its branch')
    .action(act(async () => (await import('./revert.ts')).revert));
}
