// millrace history
import type { RunSummary } from '../../../contract/history-api.ts';
import { unpricedNote } from '../../terminal/cost-text.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print, styled } from '../../terminal/output.ts';
import type { CommandOptions } from '../../command.ts';
import { clientOf, numberOf } from '../../remote.ts';

const COLORS = { complete: 'green', failed: 'red', cancelled: 'yellow' } as const;

function statusOf({ status }: RunSummary): string {
  const color = COLORS[status as keyof typeof COLORS];
  const text = status.padEnd(11);
  return color === undefined ? text : styled(color, text);
}

function lineOf(run: RunSummary): string {
  const streams = `${run.streamCount} ${run.streamCount === 1 ? 'stream' : 'streams'}`.padEnd(13);
  const seconds = `${(run.durationMs / 1000).toFixed(1)}s`.padStart(8);
  const known = run.totalCostUsd === null ? 'unknown' : `$${run.totalCostUsd.toFixed(4)}`;
  const cost = known.padStart(10);
  const left = run.unpricedCalls === undefined ? '' : `  (${unpricedNote(run.unpricedCalls)})`;
  return `${run.startedAt}  ${statusOf(run)} ${streams}${seconds}${cost}  ${run.feature}  ${run.id}${left}`;
}

export async function showHistory(options: CommandOptions, args: string[]): Promise<number> {
  const client = clientOf(options);
  const [runId] = args;
  if (runId !== undefined) {
    const detail = await client.getRun(runId);
    if (options['json']) print(JSON.stringify(detail));
    else {
      print(lineOf(detail.run));
      for (const stream of detail.streams) {
        const tokens = `${stream.tokensInput + stream.tokensOutput} tokens`;
        const files = stream.filesChanged.join(', ');
        print(
          `  wave ${stream.waveNumber}  ${stream.status.padEnd(11)} ${stream.name}  ${tokens}  ${files}`,
        );
      }
    }
    return EXIT.ok;
  }
  const text = (name: string) => {
    const value = options[name];
    return typeof value === 'string' ? { [name]: value } : {};
  };
  const page = await client.listRuns({
    limit: numberOf(options, 'limit', '--limit') ?? 10,
    offset: numberOf(options, 'offset', '--offset') ?? 0,
    ...text('status'),
    ...text('feature'),
    ...text('since'),
    ...text('until'),
  });
  if (options['json']) print(JSON.stringify(page));
  else {
    for (const run of page.items) print(lineOf(run));
    note(page.items.length === 0 ? 'No runs.' : `${page.items.length} of ${page.total} runs`);
  }
  return EXIT.ok;
}
