// Adds the parts of a month up to what people look at: by day, model, member and key.
import { isSimulatedProvider } from '../model/model-routing.ts';
import { knownCost } from './known-cost.ts';
import type {
  RecordedUsage,
  UsageByKey,
  UsageByMember,
  UsageByModel,
  UsageDay,
  UsageHistory,
  UsageOfCalls,
  UsageSums,
} from '../../contract/usage-api.ts';
import type { RecordedCell, UsageCell } from './usage-cells.ts';

const DAY_MS = 86_400_000;

/** First days: of the month, and of the next one. `month` as 2026-11. */
export function spanOf(month: string): { start: string; end: string } {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const next = number === 12 ? [year + 1, 1] : [year, number + 1];
  return { start: `${month}-01`, end: `${next[0]}-${String(next[1]).padStart(2, '0')}-01` };
}

function daysOf(month: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(`${month}-01T00:00:00Z`); ; at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    if (!day.startsWith(month)) return days;
    days.push(day);
  }
}

/** Sums of many small amounts end in digits that nobody paid. */
export function roundUsd(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

function sumOf<Cell>(cells: readonly Cell[], pick: (cell: Cell) => number): number {
  return cells.reduce((sum, cell) => sum + pick(cell), 0);
}

/** The cost of a cell is money or, of a simulated model, what it would have been. */
export function costsOf({ provider, costUsd }: Pick<UsageCell, 'provider' | 'costUsd'>) {
  return isSimulatedProvider(provider)
    ? { costUsd: 0, simulatedCostUsd: costUsd }
    : { costUsd, simulatedCostUsd: 0 };
}

function jobSums(cells: readonly UsageCell[]): Omit<UsageSums, 'recorded'> {
  const calls = sumOf(cells, (cell) => cell.unpricedCalls);
  return {
    jobs: sumOf(cells, (cell) => cell.jobs),
    tokens: {
      input: sumOf(cells, (cell) => cell.input),
      output: sumOf(cells, (cell) => cell.output),
      cachedInput: sumOf(cells, (cell) => cell.cachedInput),
    },
    costUsd: knownCost(roundUsd(sumOf(cells, (cell) => costsOf(cell).costUsd)), calls),
    simulatedCostUsd: roundUsd(sumOf(cells, (cell) => costsOf(cell).simulatedCostUsd)),
    unknownPrice: { jobs: sumOf(cells, (cell) => cell.unpricedJobs), calls },
  };
}

function recordedSums(cells: readonly RecordedCell[]): RecordedUsage {
  const calls = sumOf(cells, (cell) => cell.unpricedCalls);
  return {
    runs: sumOf(cells, (cell) => cell.runs),
    tokens: {
      input: sumOf(cells, (cell) => cell.input),
      output: sumOf(cells, (cell) => cell.output),
    },
    costUsd: knownCost(roundUsd(sumOf(cells, (cell) => cell.costUsd)), calls),
    unknownPrice: { calls },
  };
}

/** The usage of a month as it is kept. */
export interface MonthCells {
  cells: readonly UsageCell[];
  recorded: readonly RecordedCell[];
}

export function totalsOf({ cells, recorded }: MonthCells): UsageSums {
  return { ...jobSums(cells), recorded: recordedSums(recorded) };
}

/** The parts of each group, in the order in which the groups first come. */
function grouped(
  month: MonthCells,
  keyOf: (cell: UsageCell | RecordedCell) => string,
): { first: UsageCell | RecordedCell; sums: UsageSums }[] {
  const cells = Map.groupBy(month.cells, keyOf);
  const recorded = Map.groupBy(month.recorded, keyOf);
  return [...new Set([...cells.keys(), ...recorded.keys()])].map((key) => {
    const own = { cells: cells.get(key) ?? [], recorded: recorded.get(key) ?? [] };
    return { first: (own.cells[0] ?? own.recorded[0])!, sums: totalsOf(own) };
  });
}

const spentIn = (sums: Pick<UsageSums, 'costUsd'> & { recorded?: RecordedUsage }) =>
  (sums.costUsd ?? 0) + (sums.recorded?.costUsd ?? 0);

/** Whatever cost most first; then what worked most. */
function byCost(
  a: Omit<UsageSums, 'recorded'> & { recorded?: RecordedUsage },
  b: Omit<UsageSums, 'recorded'> & { recorded?: RecordedUsage },
): number {
  return spentIn(b) - spentIn(a) || b.jobs - a.jobs;
}

function byModel(cells: readonly UsageCell[]): UsageByModel[] {
  const groups = Map.groupBy(cells, ({ provider, model }) => `${provider} ${model}`);
  const models = [...groups.values()].map((own) => {
    const { provider, model } = own[0]!;
    return { provider, model, ...jobSums(own) };
  });
  return models.sort(byCost);
}

function byMember(month: MonthCells): UsageByMember[] {
  const members = grouped(month, ({ userId }) => userId).map(({ first, sums }) => {
    const { userId, email, userName } = first;
    return { userId, email, name: userName, ...sums };
  });
  return members.sort(byCost);
}

function byKey(month: MonthCells): UsageByKey[] {
  const keys = grouped(month, ({ keyId }) => keyId ?? '').map(({ first, sums }) => {
    const { keyId, keyName } = first;
    return { keyId, name: keyName, ...sums };
  });
  return keys.sort(byCost);
}

function byDay(month: string, { cells, recorded }: MonthCells): UsageDay[] {
  const jobs = Map.groupBy(cells, ({ day }) => day);
  const runs = Map.groupBy(recorded, ({ day }) => day);
  return daysOf(month).map((date) => ({
    date,
    ...totalsOf({ cells: jobs.get(date) ?? [], recorded: runs.get(date) ?? [] }),
  }));
}

/** Newest day first; of a day, the key that cost most first. */
function callsByKeyAndDay(calls: readonly UsageCell[]): UsageOfCalls[] {
  const groups = Map.groupBy(calls, ({ day, keyId }) => `${day} ${keyId ?? ''}`);
  const lines = [...groups.values()].map((own) => {
    const { day, keyId, keyName } = own[0]!;
    return { date: day, keyId, name: keyName, ...jobSums(own) };
  });
  return lines.sort((a, b) => b.date.localeCompare(a.date) || byCost(a, b));
}

/** `calls`: of the cells, those of calls that belong to no run. */
export function usageOfMonth(
  month: string,
  used: MonthCells,
  calls: readonly UsageCell[],
): UsageHistory {
  return {
    month,
    totals: totalsOf(used),
    days: byDay(month, used),
    byModel: byModel(used.cells),
    byMember: byMember(used),
    byKey: byKey(used),
    callsByKeyAndDay: callsByKeyAndDay(calls),
  };
}
