// What is filtered, as a file.
import type { RunSummary } from '../../../src/contract/history-api.ts';
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
] as const satisfies readonly (keyof RunSummary)[];

/** A cell that begins like a formula is text, also to a spreadsheet. */
export function csvCell(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function runsCsv(runs: readonly RunSummary[]): string {
  const rows = runs.map((run) => COLUMNS.map((column) => csvCell(run[column])).join(','));
  return [COLUMNS.join(','), ...rows, ''].join('\r\n');
}

export async function exportRuns(filter: Filter, as: 'csv' | 'json'): Promise<number> {
  const runs = await allRuns(filter);
  if (as === 'csv') saveFile('runs.csv', runsCsv(runs), 'text/csv');
  else saveFile('runs.json', JSON.stringify(runs, null, 2), 'application/json');
  return runs.length;
}
