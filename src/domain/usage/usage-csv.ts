// A month's usage as one table, as far apart as it is kept.
import { knownCost } from './known-cost.ts';
import { csvText } from './csv.ts';
import type { CsvField } from './csv.ts';
import { costsOf, roundUsd } from './usage-month.ts';
import type { MonthCells } from './usage-month.ts';
import type { RecordedCell, UsageCell } from './usage-cells.ts';

const HEAD = [
  'day',
  'source',
  'provider',
  'model',
  'member',
  'member_id',
  'key',
  'key_id',
  'jobs',
  'recorded_runs',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cost_usd',
  'unknown_price_jobs',
  'unknown_price_calls',
  'simulated_cost_usd',
];

/** Never in the notation with an exponent, which some readers do not know. */
export function csvDollars(amount: number, unpricedCalls: number): string | null {
  const known = knownCost(roundUsd(amount), unpricedCalls);
  if (known === null) return null;
  return known
    .toFixed(9)
    .replace(/0{1,9}$/, '')
    .replace(/\.$/, '');
}

const ownerOf = (cell: UsageCell | RecordedCell) => [
  cell.email,
  cell.userId,
  cell.keyName,
  cell.keyId,
];

function jobFields(cell: UsageCell): CsvField[] {
  const { costUsd, simulatedCostUsd } = costsOf(cell);
  return [
    cell.day,
    'jobs',
    cell.provider,
    cell.model,
    ...ownerOf(cell),
    cell.jobs,
    null,
    cell.input,
    cell.output,
    cell.cachedInput,
    csvDollars(costUsd, cell.unpricedCalls),
    cell.unpricedJobs,
    cell.unpricedCalls,
    csvDollars(simulatedCostUsd, 0),
  ];
}

function recordedFields(cell: RecordedCell): CsvField[] {
  const cost = csvDollars(cell.costUsd, cell.unpricedCalls);
  const counts = [
    null,
    cell.runs,
    cell.input,
    cell.output,
    null,
    cost,
    null,
    cell.unpricedCalls,
    null,
  ];
  return [cell.day, 'recorded', null, null, ...ownerOf(cell), ...counts];
}

export function usageCsv({ cells, recorded }: MonthCells): string {
  const rows = [HEAD, ...cells.map(jobFields), ...recorded.map(recordedFields)];
  return csvText(rows);
}
