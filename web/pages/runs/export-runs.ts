// What is filtered, as a file.
import type { RunSummary } from '../../../src/contract/history-api.ts';
import { csvText } from '../../../src/domain/usage/csv.ts';
import { api } from '../../api/client.ts';
import { saveFile } from '../../ui/save-file.ts';

const PAGE = 100;
/** A file for people; whoever needs more asks the API. */
const MOST = 10_000;

type Filter = Omit<NonNullable<Parameters<typeof api.listRuns>[0]>, 'offset' | 'limit'>;

async function allRuns(filter: Filter): Promise<RunSummary[]> {
  const runs: RunSummary[] = [];
  for (;;) {
    const { items, total } = await api.listRuns({ ...filter, offset: runs.length, limit: PAGE });
    runs.push(...items);
    if (items.length === 0 || runs.length >= Math.min(total, MOST)) return runs;
  }
}

const COLUMNS = [
  'id',
  'feature',
  'status',
  'streamCount',
  'waveCount',
  'startedAt',
  'durationMs',
  'totalCostUsd',
  'unpricedCalls',
] as const satisfies readonly (keyof RunSummary)[];

export function runsCsv(runs: readonly RunSummary[]): string {
  return csvText([COLUMNS, ...runs.map((run) => COLUMNS.map((column) => run[column] ?? 0))]);
}

export async function exportRuns(filter: Filter, as: 'csv' | 'json'): Promise<number> {
  const runs = await allRuns(filter);
  if (as === 'csv') saveFile('runs.csv', runsCsv(runs), 'text/csv');
  else saveFile('runs.json', JSON.stringify(runs, null, 2), 'application/json');
  return runs.length;
}
