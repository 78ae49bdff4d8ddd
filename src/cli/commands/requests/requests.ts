// millrace requests: runs that are asked for here and made by a runner.
import type { Command } from 'commander';
import { Option } from 'commander';
import type { RunRequestFilter } from '../../../client/runners.ts';
import { RUN_REQUEST_STATUSES } from '../../../contract/run-request-api.ts';
import type { RunRequest } from '../../../contract/run-request-api.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { textOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { pageOf, withPageFlags } from '../../page-flags.ts';
import type { Resource } from '../../resource.ts';
import { idColumn, showList } from '../../show-list.ts';
import { showOutcome } from '../../show-outcome.ts';
import { localTime } from '../../terminal/local-time.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { createFlags, createRequest } from './create.ts';
import { findRequestId } from './find-request.ts';
import { followRequest } from './follow.ts';
import { exitOf, requestText, stateOf, workOf } from './request-text.ts';

const requestId = (command: Command) =>
  command.argument('<id>', 'the id of the request, or how it begins');

async function listRequests(options: CommandOptions): Promise<number> {
  const { limit, before } = pageOf(options);
  const status = textOf(options, 'status') as RunRequestFilter['status'];
  const project = textOf(options, 'project');
  const client = await openClient(options);
  const page = await client.runRequests.list({
    limit,
    ...(status !== undefined && { status }),
    ...(project !== undefined && { project }),
    ...(before !== undefined && { before: await findRequestId(client, before) }),
  });
  const chosen = Object.entries({ status, project }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, value],
  );
  return showList<RunRequest>(options, {
    document: page,
    rows: page.items,
    columns: [
      idColumn(page.items),
      statusColumn((each) => each.status),
      { head: 'ASKED', text: ({ createdAt }) => localTime(createdAt) },
      { head: 'BY', text: ({ requestedBy }) => plain(requestedBy.email) },
      { head: 'PROJECT', text: ({ project: name }) => plain(name) },
      { head: 'RUNNER', text: ({ runner }) => plain(runner?.name ?? '-') },
      { head: 'WHAT', text: ({ work }) => workOf(work), isFlexible: true },
    ],
    empty: 'No run requests found.',
    more:
      page.nextCursor === null
        ? undefined
        : commandLine('requests', 'list', ...chosen, '--before', page.nextCursor),
  });
}

async function getRequest(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const follows = options['wait'] === true;
  const client = await openClient(options, { waits: follows });
  const found = await client.runRequests.get(await findRequestId(client, asked));
  const request = follows
    ? await followRequest(client, found, { isQuiet: options['json'] === true })
    : found;
  const exit = follows ? exitOf(request) : EXIT.ok;
  return showOutcome(options, { document: request, text: requestText(request), exit });
}

async function cancelRequest(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const client = await openClient(options);
  const request = await client.runRequests.cancel(await findRequestId(client, asked));
  return showOutcome(options, {
    document: request,
    text: `${request.id}  ${stateOf(request)}`,
  });
}

export const REQUESTS: Resource = {
  noun: 'requests',
  summary: 'ask for runs that a runner makes, and follow them',
  examples: [
    'requests create --project shop --manifest millrace.yaml --wait',
    "requests create --project shop --task 'Add a health check'",
    'requests list --status open',
  ],
  actions: [
    {
      name: 'create',
      summary: 'ask for a run',
      examples: [
        'requests create --project shop --manifest millrace.yaml --open-request --wait',
        "requests create --project shop --task 'Add a health check' --max-cost 2.50",
        'requests create --project shop --run run_01... --action revert',
      ],
      input: createFlags,
      run: createRequest,
    },
    {
      name: 'list',
      summary: 'list requests, newest first',
      examples: ['requests list', 'requests list --status open --project shop'],
      input: (command) =>
        withPageFlags(
          command
            .addOption(
              new Option('--status <status>', 'only those in this state').choices([
                ...RUN_REQUEST_STATUSES,
                'open',
              ]),
            )
            .option('--project <name>', 'only those of this project'),
          { limit: 20, before: 'only requests older than this one' },
        ),
      run: listRequests,
    },
    {
      name: 'get',
      summary: 'show a request, and what came of it',
      examples: ['requests get rreq_01...', 'requests get rreq_01... --wait'],
      input: (command) =>
        requestId(command).option(
          '--wait',
          'follow it to its end; ctrl-c leaves, the run continues',
        ),
      run: getRequest,
    },
    {
      name: 'cancel',
      summary: 'cancel a request, and stop its run',
      examples: ['requests cancel rreq_01...'],
      input: requestId,
      run: cancelRequest,
    },
  ],
};
