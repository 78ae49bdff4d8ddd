// millrace history
import type { Command } from 'commander';
import { Option } from 'commander';
import type { RunStream, RunSummary } from '../../../contract/history-api.ts';
import { knownCost } from '../../../domain/usage/known-cost.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { numberOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { shortIds } from '../../short-ids.ts';
import { unpricedNote } from '../../terminal/cost-text.ts';
import { countOf, showElapsed, showTokens, showUsd } from '../../terminal/figures.ts';
import { localTime } from '../../terminal/local-time.ts';
import { note, print, styled } from '../../terminal/output.ts';
import { printTable, statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { statusStyle } from '../../terminal/status-style.ts';
import type { Column } from '../../terminal/table.ts';
import { findRun } from './find-run.ts';

const STATUSES = ['pending', 'in_progress', 'paused', 'complete', 'failed', 'cancelled'];

export function addHistory(program: Command, act: Act): void {
  describe(program.command('history'), 'list your runs on the server, or show one', [
    'history --limit 20 --status failed',
    'history run_01...',
  ])
    .argument('[id]', 'the run id, or how it begins')
    .option('--limit <number>', 'how many to show, 1 to 100', '10')
    .option('--offset <number>', 'runs to skip')
    .addOption(new Option('--status <status>', 'only runs in this state').choices(STATUSES))
    .option('--feature <text>', 'only runs whose feature contains this')
    .option('--since <time>', 'only runs started at or after this time (ISO 8601)')
    .option('--until <time>', 'only runs started before this time (ISO 8601)')
    .action(act(async () => showHistory));
}

const costOf = ({ totalCostUsd, unpricedCalls = 0 }: RunSummary) =>
  knownCost(totalCostUsd, unpricedCalls);

function showRuns(runs: readonly RunSummary[]): void {
  const ids = shortIds(runs.map(({ id }) => id));
  const columns: Column<RunSummary>[] = [
    { head: 'ID', text: ({ id }) => plain(ids.get(id)!) },
    { head: 'STARTED', text: ({ startedAt }) => localTime(startedAt) },
    statusColumn(({ status }) => status),
    { head: 'STREAMS', text: ({ streamCount }) => String(streamCount), isRight: true },
    { head: 'TIME', text: ({ durationMs }) => showElapsed(durationMs), isRight: true },
    { head: 'COST', text: (run) => showUsd(costOf(run)), isRight: true },
    { head: 'FEATURE', text: ({ feature }) => plain(feature), isFlexible: true },
  ];
  printTable(columns, runs);
}

function showStreams(streams: readonly RunStream[]): void {
  const columns: Column<RunStream>[] = [
    { head: 'WAVE', text: ({ waveNumber }) => String(waveNumber), isRight: true },
    statusColumn(({ status }) => status),
    {
      head: 'TOKENS',
      text: ({ tokensInput, tokensOutput }) => showTokens(tokensInput + tokensOutput),
      isRight: true,
    },
    { head: 'MODEL', text: ({ model = '' }) => plain(model) },
    { head: 'STREAM', text: ({ name }) => plain(name) },
    {
      head: 'FILES',
      text: ({ filesChanged }) => plain(filesChanged.join(', ')),
      isFlexible: true,
    },
  ];
  printTable(columns, streams);
}

function showRun(run: RunSummary, streams: readonly RunStream[]): void {
  const head = styled(statusStyle(run.status), run.status);
  const cost = showUsd(costOf(run));
  const left = run.unpricedCalls === undefined ? '' : ` (${unpricedNote(run.unpricedCalls)})`;
  print(`${styled('bold', plain(run.feature))}  ${head}`);
  print(`  ${run.id}  ${localTime(run.startedAt)}`);
  const count = countOf(run.streamCount, 'stream');
  print(`  ${count}  ${showElapsed(run.durationMs)}  ${cost}${left}`);
  print('');
  showStreams(streams);
}

async function showHistory(options: CommandOptions, args: string[]): Promise<number> {
  const limit = numberOf(options, 'limit', '--limit') ?? 10;
  const offset = numberOf(options, 'offset', '--offset') ?? 0;
  const client = await openClient(options);
  if (args[0] !== undefined) {
    const { run, streams } = await findRun(client, args[0]);
    if (options['json']) print(JSON.stringify({ run, streams }));
    else showRun(run, streams);
    return EXIT.ok;
  }
  const text = (name: string) => {
    const value = options[name];
    return typeof value === 'string' ? { [name]: value } : {};
  };
  const filters = ['status', 'feature', 'since', 'until'].map(text);
  const page = await client.listRuns({ limit, offset, ...Object.assign({}, ...filters) });
  if (options['json']) print(JSON.stringify(page));
  else {
    if (page.items.length > 0) showRuns(page.items);
    const count = `${page.items.length} of ${countOf(page.total, 'run')}`;
    note(page.items.length === 0 ? 'No runs.' : count);
  }
  return EXIT.ok;
}
