// millrace exec list
import type { Command } from 'commander';
import type { ExecutionStatus, ListedExecution } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { openClient } from '../../open-client.ts';
import { pageOf, withPageFlags } from '../../page-flags.ts';
import { idColumn, showList } from '../../show-list.ts';
import { showTokens, showUsd } from '../../terminal/figures.ts';
import { localTime } from '../../terminal/local-time.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { findExecutionId } from './find-execution.ts';
import { Option } from 'commander';

const STATUSES = ['running', 'completed', 'failed', 'cancelled'];

export function addExecList(exec: Command, act: Act): void {
  const list = describe(exec.command('list'), 'list your executions, newest first', [
    'exec list',
    'exec list --status failed --limit 5',
  ]).addOption(new Option('--status <status>', 'only executions in this state').choices(STATUSES));
  withPageFlags(list, { limit: 20, before: 'only executions older than this one' }).action(
    act(async () => listExecutions),
  );
}

async function listExecutions(options: CommandOptions): Promise<number> {
  const { limit, before } = pageOf(options);
  const client = await openClient(options);
  const { status } = options as { status?: ExecutionStatus };
  const page = await client.executions.list({
    limit,
    ...(status === undefined ? {} : { status }),
    ...(before === undefined ? {} : { before: await findExecutionId(client, before) }),
  });
  const { items, nextCursor } = page;
  const id = idColumn(items);
  const last = items.find((item) => item.id === nextCursor);
  return showList<ListedExecution>(options, {
    document: page,
    rows: items,
    columns: [
      id,
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
    empty: `No executions. Start one with: ${commandLine('exec', 'Say what to do')}`,
    more:
      nextCursor === null
        ? undefined
        : commandLine('exec', 'list', '--before', last === undefined ? nextCursor : id.text(last)),
  });
}
