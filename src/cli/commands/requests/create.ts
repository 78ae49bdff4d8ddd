// millrace requests create
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { NewRunRequest } from '../../../client/runners.ts';
import type { MillraceClient } from '../../../client/index.ts';
import { RUN_ACTIONS } from '../../../contract/run-request-api.ts';
import type { RunAction } from '../../../contract/run-request-api.ts';
import { usageError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { dollarsOf, textOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { showOutcome } from '../../show-outcome.ts';
import { findRunId } from '../history/find-run.ts';
import { followRequest } from './follow.ts';
import { exitOf, followCommand, requestText, stateOf } from './request-text.ts';

const collect = (word: string, list: string[] = []) => [...list, word];
const wordsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

export function createFlags(command: Command): Command {
  return command
    .requiredOption('--project <name>', 'of which project, as its runners call it')
    .option('--manifest <path>', 'run this manifest of the project')
    .option('--manifest-file <file>', 'run the text of this file of yours; - reads standard input')
    .option('--task <text>', 'plan and do this')
    .option('--plan-only', 'with --task: make the manifest, show it, and run nothing')
    .option('--run <id>', 'a run that a runner has made; see --action')
    .addOption(
      new Option('--action <action>', 'what to do with that run').choices(Object.keys(RUN_ACTIONS)),
    )
    .option('--model <id>', 'model for streams that name none')
    .option('--agent <name>', 'who works on streams that name none')
    .option('--max-cost <dollars>', 'stop before it could cost more')
    .option('--branch <name>', 'of the result, such as millrace/fix-login')
    .option('--in-place', "work in the project's own folder, where its owner allows it")
    .option('--open-request', 'open a pull request when it is complete')
    .option('--label <label>', 'only runners that have it (repeatable)', collect)
    .option('--from <stream>', 'do this stream again, and what depends on it')
    .option('--only <stream>', 'this stream alone (repeatable)', collect)
    .option('--wait', 'follow it to its end; ctrl-c leaves, the run continues');
}

function manifestText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw usageError(
      `--manifest-file ${file}: ${(error as Error).message}`,
      'Name a file that can be read.',
    );
  }
}

/** Exactly one of the four; the server says the same, with the names of its fields. */
function checkWhat(options: CommandOptions): void {
  const flags = ['manifest', 'manifestFile', 'task', 'run'].filter(
    (name) => options[name] !== undefined,
  );
  if (flags.length !== 1) {
    throw usageError('Say what to run: one of --manifest, --manifest-file, --task and --run');
  }
  if ((options['run'] === undefined) !== (options['action'] === undefined)) {
    throw usageError(
      '--run and --action belong together',
      `Actions: ${Object.keys(RUN_ACTIONS).join(', ')}.`,
    );
  }
}

async function newRequest(client: MillraceClient, options: CommandOptions): Promise<NewRunRequest> {
  const path = textOf(options, 'manifest');
  const file = textOf(options, 'manifestFile');
  const task = textOf(options, 'task');
  const run = textOf(options, 'run');
  const model = textOf(options, 'model');
  const agent = textOf(options, 'agent');
  const branch = textOf(options, 'branch');
  const from = textOf(options, 'from');
  const only = wordsOf(options['only']);
  const maxCostUsd = dollarsOf(options, 'maxCost', '--max-cost');
  return {
    project: textOf(options, 'project') ?? '',
    ...(path !== undefined && { manifest: { path } }),
    ...(file !== undefined && { manifest: { text: manifestText(file) } }),
    ...(task !== undefined && { task }),
    ...(options['planOnly'] === true && { planOnly: true as const }),
    ...(run !== undefined && {
      run: { id: await findRunId(client, run), action: options['action'] as RunAction },
    }),
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
    ...(maxCostUsd !== undefined && { maxCostUsd }),
    ...(branch !== undefined && { branch }),
    ...(from !== undefined && { from }),
    ...(only.length > 0 && { only }),
    inPlace: options['inPlace'] === true,
    openRequest: options['openRequest'] === true,
    labels: wordsOf(options['label']),
  };
}

export async function createRequest(options: CommandOptions): Promise<number> {
  checkWhat(options);
  const follows = options['wait'] === true;
  const client = await openClient(options, { waits: follows, outlives: !follows });
  const made = await client.runRequests.create(await newRequest(client, options));
  if (!follows) {
    return showOutcome(options, {
      document: made,
      text: `${made.id}  ${stateOf(made)}`,
      notes: [`Follow it with: ${followCommand(made)}`],
    });
  }
  const ended = await followRequest(client, made, { isQuiet: options['json'] === true });
  return showOutcome(options, { document: ended, text: requestText(ended), exit: exitOf(ended) });
}
