// millrace job list
import type { Command } from 'commander';
import { Option } from 'commander';
import type { JobFilter, ListedJob } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { textOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { pageOf, withPageFlags } from '../../page-flags.ts';
import { idColumn, showList } from '../../show-list.ts';
import { showTokens, showUsd } from '../../terminal/figures.ts';
import { localTime } from '../../terminal/local-time.ts';
import { plain } from '../../terminal/plain-text.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { findJobId } from './find-job.ts';

const KINDS = ['job', 'call'];
const STATUSES = ['pending', 'running', 'completed', 'failed'];

export function addJobList(job: Command, act: Act): void {
  const list = describe(job.command('list'), 'list jobs and model calls, newest first', [
    'job list',
    'job list --kind call --model claude-opus-5-5',
    'job list --run run_01... --status failed',
  ])
    .addOption(
      new Option(
        '--kind <kind>',
        'only jobs that were submitted, or calls through the model endpoint',
      ).choices(KINDS),
    )
    .addOption(new Option('--status <status>', 'only jobs in this state').choices(STATUSES))
    .option('--model <id>', 'only jobs of this model')
    .option('--run <id>', 'only jobs of this run');
  withPageFlags(list, { limit: 20, before: 'only jobs older than this one' }).action(
    act(async () => listJobs),
  );
}

/** A call of no run has no stream: its key says where it comes from. */
function nameOf({ kind, runId, streamId, apiKey }: ListedJob): string {
  if (kind === 'job' || runId !== null) return plain(streamId);
  return apiKey === null ? '' : `key ${plain(apiKey.name ?? apiKey.id)}`;
}

async function listJobs(options: CommandOptions): Promise<number> {
  const { limit, before } = pageOf(options);
  const { kind, status } = options as Pick<JobFilter, 'kind' | 'status'>;
  const model = textOf(options, 'model');
  const runId = textOf(options, 'run');
  const client = await openClient(options);
  const page = await client.listJobs({
    limit,
    ...(kind && { kind }),
    ...(status && { status }),
    ...(model === undefined ? {} : { model }),
    ...(runId === undefined ? {} : { runId }),
    ...(before === undefined ? {} : { before: await findJobId(client, before) }),
  });
  const rows = page.items.map((item) => ({ ...item, id: item.jobId }));
  const chosen = Object.entries({ kind, status, model, run: runId }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, value],
  );
  return showList<ListedJob & { id: string }>(options, {
    document: page,
    rows,
    columns: [
      idColumn(rows),
      { head: 'KIND', text: ({ kind: each }) => each },
      statusColumn(({ status: state }) => state),
      { head: 'MODEL', text: ({ model: each }) => plain(each) },
      { head: 'INPUT', text: ({ tokensUsed }) => showTokens(tokensUsed.input), isRight: true },
      { head: 'OUTPUT', text: ({ tokensUsed }) => showTokens(tokensUsed.output), isRight: true },
      {
        head: 'COST',
        text: ({ endedAt, costUsd }) => (endedAt === null ? '' : showUsd(costUsd)),
        isRight: true,
      },
      { head: 'SUBMITTED', text: ({ queuedAt }) => localTime(queuedAt) },
      { head: 'STREAM', text: nameOf, isFlexible: true },
    ],
    empty: 'No jobs found.',
    more:
      page.nextCursor === null
        ? undefined
        : commandLine('job', 'list', ...chosen, '--before', page.nextCursor),
  });
}
