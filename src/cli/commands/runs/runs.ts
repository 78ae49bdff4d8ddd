// millrace runs
import { listRuns, shortLength } from '../../../orchestrator/index.ts';
import type { ListedRun } from '../../../orchestrator/index.ts';
import { ConfigError } from '../../../config/config-error.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { numberOf } from '../../flag-values.ts';
import { showTotalCost } from '../../terminal/figures.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { printTable } from '../../terminal/print-table.ts';
import type { Column } from '../../terminal/table.ts';
import { findProject } from './project.ts';

const DEFAULT_LIMIT = 20;

/** As the summary of a run calls it. */
function stateWord(state: ListedRun['state']): string {
  return state === 'cancelled' ? 'stopped' : state;
}

/** In the time of this machine, so that one can tell it from the clock on the wall. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '-';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

function doneOf({ totals }: ListedRun): string {
  if (totals === undefined) return '-';
  const all = Object.values(totals.streams).reduce((sum, count) => sum + count, 0);
  return `${totals.streams.complete}/${all}`;
}

function columnsOf(idLength: number): Column<ListedRun>[] {
  return [
    { head: 'RUN', text: ({ runId }) => runId.slice(0, idLength) },
    { head: 'STATE', text: ({ state }) => stateWord(state) },
    { head: 'STARTED', text: ({ startedAt }) => localTime(startedAt) },
    { head: 'STREAMS', text: doneOf },
    { head: 'COST', text: ({ totals }) => (totals === undefined ? '-' : showTotalCost(totals)) },
    { head: 'MANIFEST', text: ({ manifest }) => plain(manifest), isFlexible: true },
  ];
}

export async function runs(options: CommandOptions): Promise<number> {
  const project = await findProject(options);
  const limit = numberOf(options, 'limit', '--limit') ?? DEFAULT_LIMIT;
  if (limit === 0) throw new ConfigError(['--limit "0": must be at least 1']);
  const { runs: listed, total } = await listRuns(project, { limit, now: Date.now() });
  if (options['json']) {
    print(JSON.stringify({ runs: listed, total }));
    return EXIT.ok;
  }
  if (listed.length === 0) {
    note(`There are no runs in this project yet. Start one with: ${commandLine('run')}`);
    return EXIT.ok;
  }
  const idLength = shortLength(listed.map(({ runId }) => runId));
  printTable(columnsOf(idLength), listed);
  if (total > listed.length) {
    note(`${listed.length} of ${total} runs; show more with --limit ${total}`);
  }
  return EXIT.ok;
}
