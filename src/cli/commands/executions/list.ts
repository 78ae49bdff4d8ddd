// millrace exec list
import type { Command } from 'commander';
import type { ExecutionStatus, ListedExecution } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { numberOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { shortIds } from '../../short-ids.ts';
import { showTokens, showUsd } from '../../terminal/figures.ts';
import { localTime } from '../../terminal/local-time.ts';
import { note, print } from '../../terminal/output.ts';
import { printTable, statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { findExecutionId } from './find-execution.ts';
import { Option } from 'commander';

const STATUSES = ['running', 'completed', 'failed', 'cancelled'];

export function addExecList(exec: Command, act: Act): void {
  describe(exec.command('list'), 'list your executions, newest first', [
    'exec list',
    'exec list --status failed --limit 5',
  ])
    .addOption(new Option('--status <status>', 'only executions in this state').choices(STATUSES))
    .option('--limit <number>', 'how many to show, 1 to 100', '20')
    .option('--before <id>', 'only executions older than this one')
    .action(act(async () => listExecutions));
}

async function listExecutions(options: CommandOptions): Promise<number> {
  const limit = numberOf(options, 'limit', '--limit') ?? 20;
  const client = await openClient(options);
  const { status, before } = options as { status?: ExecutionStatus; before?: string };
  const page = await client.executions.list({
    limit,
    ...(status === undefined ? {} : { status }),
    ...(before === undefined ? {} : { before: await findExecutionId(client, before) }),
  });
  if (options['json']) {
    print(JSON.stringify(page));
    return EXIT.ok;
  }
  const { items } = page;
  if (items.length === 0) {
    note(`No executions. Start one with: ${commandLine('exec', 'Say what to do')}`);
    return EXIT.ok;
  }
  const ids = shortIds(items.map(({ id }) => id));
  printTable<ListedExecution>(
    [
      { head: 'ID', text: ({ id }) => ids.get(id)! },
      statusColumn(({ status: state }) => state),
      {
        head: 'STEPS',
        text: ({ progress }) => `${progress.current}/${progress.total}`,
        isRight: true,
      },
      { head: 'TOKENS', text: ({ metrics }) => showTokens(metrics.tokensUsed), isRight: true },
      { head: 'COST', text: ({ metrics }) => showUsd(metrics.costUsd), isRight: true },
      { head: 'STARTED', text: ({ createdAt }) => localTime(createdAt) },
      { head: 'TASK', text: ({ task }) => plain(task), isFlexible: true },
    ],
    items,
  );
  if (page.nextCursor !== null) {
    note(
      `More: ${commandLine('exec', 'list', '--before', ids.get(page.nextCursor) ?? page.nextCursor)}`,
    );
  }
  return EXIT.ok;
}
