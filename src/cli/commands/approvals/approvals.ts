// millrace approvals: what runs ask a person before they act.
import type { Command } from 'commander';
import { Option } from 'commander';
import type { ApprovalFilter, ListedApproval } from '../../../client/index.ts';
import { APPROVAL_STATUSES } from '../../../contract/approval-api.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { textOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { pageOf, withPageFlags } from '../../page-flags.ts';
import type { Resource } from '../../resource.ts';
import { idColumn, showList } from '../../show-list.ts';
import { showOutcome } from '../../show-outcome.ts';
import { localTime } from '../../terminal/local-time.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { approvalText } from './approval-text.ts';
import { findApprovalId } from './find-approval.ts';
import { answerWith } from './resolve.ts';

const approvalId = (command: Command) =>
  command.argument('<id>', 'the approval id, or how it begins');
const withComment = (command: Command) =>
  command
    .option('--comment <text>', 'why')
    .option('--hash <sha256>', 'only if this is what is asked; shown by `approvals show`');

async function listApprovals(options: CommandOptions): Promise<number> {
  const { limit, before } = pageOf(options);
  const { status } = options as { status: ApprovalFilter['status'] | 'all' };
  const runId = textOf(options, 'run');
  const client = await openClient(options);
  const page = await client.approvals.list({
    limit,
    ...(status !== undefined && status !== 'all' && { status }),
    ...(runId !== undefined && { runId }),
    ...(before !== undefined && { before: await findApprovalId(client, before) }),
  });
  const chosen = Object.entries({ status, run: runId }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, value],
  );
  return showList<ListedApproval>(options, {
    document: page,
    rows: page.items,
    columns: [
      idColumn(page.items),
      { head: 'KIND', text: ({ kind }) => kind },
      statusColumn((each) => each.status),
      { head: 'ASKED', text: ({ createdAt }) => localTime(createdAt) },
      { head: 'BY', text: ({ requestedBy }) => plain(requestedBy.email) },
      { head: 'WHAT', text: ({ title }) => plain(title), isFlexible: true },
    ],
    empty: status === 'open' ? 'Nothing needs you.' : 'No approvals found.',
    more:
      page.nextCursor === null
        ? undefined
        : commandLine('approvals', 'list', ...chosen, '--before', page.nextCursor),
  });
}

async function showApproval(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const client = await openClient(options);
  const approval = await client.approvals.get(await findApprovalId(client, asked));
  return showOutcome(options, { document: approval, text: approvalText(approval) });
}

export const APPROVALS: Resource = {
  noun: 'approvals',
  summary: 'approve, deny or answer what runs ask',
  examples: ['approvals list', 'approvals show apr_01...', 'approvals approve apr_01...'],
  actions: [
    {
      name: 'list',
      summary: 'list what needs an answer, newest first',
      examples: ['approvals list', 'approvals list --status all --run run_01...'],
      input: (command) =>
        withPageFlags(
          command
            .addOption(
              new Option('--status <status>', 'only those in this state, or all')
                .choices([...APPROVAL_STATUSES, 'all'])
                .default('open'),
            )
            .option('--run <id>', 'only those of this run'),
          { limit: 20, before: 'only approvals older than this one' },
        ),
      run: listApprovals,
    },
    {
      name: 'show',
      summary: 'show what is asked',
      examples: ['approvals show apr_01...'],
      input: approvalId,
      run: showApproval,
    },
    {
      name: 'approve',
      summary: 'approve it, so that the run continues',
      examples: ['approvals approve apr_01...'],
      input: (command) => withComment(approvalId(command)),
      run: answerWith('approve'),
    },
    {
      name: 'deny',
      summary: 'deny it',
      examples: ["approvals deny apr_01... --comment 'Not before the release'"],
      input: (command) => withComment(approvalId(command)),
      run: answerWith('deny'),
    },
    {
      name: 'answer',
      summary: 'answer the question of an agent',
      examples: ["approvals answer apr_01... 'Use the older API'"],
      input: (command) => withComment(approvalId(command).argument('<text>', 'the answer')),
      run: answerWith('approve'),
    },
  ],
};
