// What a schedule or a trigger asks for, and its rules, as flags.
import type { Command } from 'commander';
import { Option } from 'commander';
import type { NewRunRequest } from '../../../contract/run-request-api.ts';
import type { Overlap } from '../../../contract/start-reasons.ts';
import { usageError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { dollarsOf, numberOf, textOf } from '../../flag-values.ts';

const OVERLAP_CHOICES: readonly Overlap[] = ['skip', 'queue', 'cancel_older'];

export function withWorkFlags(command: Command): Command {
  return command
    .option('--project <name>', 'the project, as its runners call it')
    .option('--manifest <file>', 'run this manifest of the project')
    .option('--task <text>', 'or plan and do this')
    .option('--model <id>', 'for streams that name none')
    .option('--agent <name>', 'who works on streams that name none')
    .option('--max-cost <dollars>', 'a run stops before it could cost more than this')
    .option('--branch <name>', 'name of the branch, such as millrace/upgrade')
    .option('--open', 'open the pull request of a run that is complete')
    .option('--in-place', "work in the project's own folder, not on a branch");
}

export function withRuleFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--overlap <rule>', 'while an earlier run has not ended').choices(OVERLAP_CHOICES),
    )
    .option('--budget <dollars>', 'the most that its runs may spend in a month, or none')
    .option('--pause-after <failures>', 'pause after this many failures in a row, or never');
}

/** Undefined where no flag says anything about it. */
export function workOf(options: CommandOptions): NewRunRequest | undefined {
  const project = textOf(options, 'project');
  const manifest = textOf(options, 'manifest');
  const task = textOf(options, 'task');
  const model = textOf(options, 'model');
  const agent = textOf(options, 'agent');
  const branch = textOf(options, 'branch');
  const maxCostUsd = dollarsOf(options, 'maxCost', '--max-cost');
  const [open, inPlace] = [options['open'], options['inPlace']];
  const more = {
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
    ...(branch !== undefined && { branch }),
    ...(maxCostUsd !== undefined && { maxCostUsd }),
    ...(open === true && { openRequest: open }),
    ...(inPlace === true && { inPlace }),
  };
  const isNamed = [project, manifest, task].some((each) => each !== undefined);
  if (!isNamed && Object.keys(more).length === 0) return undefined;
  if (project === undefined) throw usageError('--project is missing: which project to work on');
  if ((manifest === undefined) === (task === undefined)) {
    throw usageError('give one of --manifest and --task');
  }
  return {
    project,
    ...(manifest === undefined ? { task: task! } : { manifest: { path: manifest } }),
    ...more,
  };
}

/** The words stand for "no such rule". */
function unless<T>(word: string, options: CommandOptions, name: string, read: () => T): T | null {
  return textOf(options, name) === word ? null : read();
}

export function rulesOf(options: CommandOptions) {
  const overlap = textOf(options, 'overlap') as Overlap | undefined;
  const budgetUsdPerMonth = unless('none', options, 'budget', () =>
    dollarsOf(options, 'budget', '--budget'),
  );
  const pauseAfterFailures = unless('never', options, 'pauseAfter', () =>
    numberOf(options, 'pauseAfter', '--pause-after'),
  );
  return {
    ...(overlap !== undefined && { overlap }),
    ...(budgetUsdPerMonth !== undefined && { budgetUsdPerMonth }),
    ...(pauseAfterFailures !== undefined && { pauseAfterFailures }),
  };
}
