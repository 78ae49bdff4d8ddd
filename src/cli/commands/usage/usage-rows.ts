// Usage in rows: by day, model, member or key.
import type { UsageHistory, UsageSums } from '../../../contract/usage-api.ts';
import { csvText } from '../../../domain/usage/csv.ts';
import type { CsvField } from '../../../domain/usage/csv.ts';
import { csvDollars } from '../../../domain/usage/usage-csv.ts';
import { knownCost } from '../../../domain/usage/known-cost.ts';
import { showTokens, showUsd } from '../../terminal/figures.ts';
import { note } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { printTable } from '../../terminal/print-table.ts';
import type { Column } from '../../terminal/table.ts';

/** `calls`: those of no run, by key and day. */
export const GROUPS = ['day', 'model', 'member', 'key', 'calls'] as const;
export type Group = (typeof GROUPS)[number];

interface Row extends Omit<UsageSums, 'recorded'> {
  name: string;
  /** Of calls, which are by key and day. */
  date?: string;
  recorded?: UsageSums['recorded'];
}

/** A day without usage is no line, but for scripts. */
const hasUsage = ({ jobs, tokens, recorded }: Row) =>
  jobs > 0 || tokens.input + tokens.output > 0 || (recorded?.runs ?? 0) > 0;

const keyName = ({ name, keyId }: { name: string | null; keyId: string | null }): string =>
  name ?? keyId ?? 'no API key';

export function rowsBy(group: Group, usage: UsageHistory): Row[] {
  switch (group) {
    case 'day':
      return usage.days.map((day) => ({ ...day, name: day.date }));
    case 'model':
      return usage.byModel.map((row) => ({ ...row, name: `${row.provider}:${row.model}` }));
    case 'member':
      return usage.byMember.map((row) => ({ ...row, name: row.email ?? row.userId }));
    case 'key':
      return usage.byKey.map((row) => ({ ...row, name: keyName(row) }));
    case 'calls':
      return usage.callsByKeyAndDay.map((row) => ({ ...row, name: keyName(row) }));
  }
}

const number = (head: string, count: (row: Row) => number): Column<Row> => ({
  head,
  text: (row) => showTokens(count(row)),
  isRight: true,
});

function costText({ costUsd, unknownPrice }: Row): string {
  const more = costUsd !== null && unknownPrice.calls > 0 ? ' + unknown' : '';
  return showUsd(costUsd) + more;
}

/** Of calls: the sums of the month have everything else, too. */
function totalOf(rows: readonly Row[]): Row {
  const sum = (pick: (row: Row) => number) => rows.reduce((all, row) => all + pick(row), 0);
  const unpriced = sum(({ unknownPrice }) => unknownPrice.calls);
  return {
    name: 'total',
    jobs: sum(({ jobs }) => jobs),
    tokens: {
      input: sum(({ tokens }) => tokens.input),
      output: sum(({ tokens }) => tokens.output),
      cachedInput: sum(({ tokens }) => tokens.cachedInput),
    },
    costUsd: knownCost(
      sum(({ costUsd }) => costUsd ?? 0),
      unpriced,
    ),
    simulatedCostUsd: sum(({ simulatedCostUsd }) => simulatedCostUsd),
    unknownPrice: { jobs: sum(({ unknownPrice }) => unknownPrice.jobs), calls: unpriced },
  };
}

export function showRows(group: Group, usage: UsageHistory): void {
  const rows = rowsBy(group, usage).filter(hasUsage);
  const columns: Column<Row>[] = [
    {
      head: group === 'calls' ? 'KEY' : group.toUpperCase(),
      text: ({ name }) => plain(name),
      isFlexible: true,
    },
    number(group === 'calls' ? 'CALLS' : 'JOBS', ({ jobs }) => jobs),
    number('INPUT', ({ tokens }) => tokens.input),
    number('OUTPUT', ({ tokens }) => tokens.output),
    { head: 'COST', text: costText, isRight: true },
  ];
  if (usage.totals.simulatedCostUsd > 0) {
    const simulated = ({ simulatedCostUsd }: Row) =>
      simulatedCostUsd > 0 ? showUsd(simulatedCostUsd) : '';
    columns.push({ head: 'SIMULATED', text: simulated, isRight: true });
  }
  if (rows.some(({ recorded }) => (recorded?.runs ?? 0) > 0)) {
    const cost = ({ recorded }: Row) => (recorded?.runs ? showUsd(recorded.costUsd) : '');
    columns.push({ head: 'RECORDED', text: cost, isRight: true });
  }
  if (group !== 'calls') {
    printTable(columns, [...rows, { ...usage.totals, name: 'total' }]);
    return;
  }
  if (rows.length === 0) {
    note('No calls through the model endpoint but those of runs.');
    return;
  }
  const day: Column<Row> = { head: 'DAY', text: ({ date = '' }) => date };
  printTable([day, ...columns], [...rows, totalOf(rows)]);
}

const HEAD = [
  'jobs',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cost_usd',
  'unknown_price_jobs',
  'unknown_price_calls',
  'recorded_runs',
  'recorded_cost_usd',
  'simulated_cost_usd',
];

function csvFields({ name, jobs, tokens, unknownPrice, recorded, ...costs }: Row): CsvField[] {
  const { input, output, cachedInput } = tokens;
  const cost = csvDollars(costs.costUsd ?? 0, unknownPrice.calls);
  const own: CsvField[] = [name, jobs, input, output, cachedInput, cost];
  const recordedCost = recorded && csvDollars(recorded.costUsd ?? 0, recorded.unknownPrice.calls);
  return [
    ...own,
    unknownPrice.jobs,
    unknownPrice.calls,
    recorded?.runs ?? null,
    recordedCost ?? null,
    csvDollars(costs.simulatedCostUsd, 0),
  ];
}

export function rowsCsv(group: Group, usage: UsageHistory): string {
  const rows = rowsBy(group, usage);
  if (group !== 'calls') return csvText([[group, ...HEAD], ...rows.map(csvFields)]);
  const lines = rows.map((row) => [row.date ?? '', ...csvFields(row)]);
  return csvText([['day', 'key', ...HEAD], ...lines]);
}
