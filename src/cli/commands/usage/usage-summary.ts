// What a month comes to, against what it may come to.
import type { CurrentUsage, UsageHistory } from '../../../contract/usage-api.ts';
import { forecastUsd } from '../../../domain/usage/forecast.ts';
import { countOf, showTokens, showUsd } from '../../terminal/figures.ts';
import { unpricedNote } from '../../terminal/cost-text.ts';
import { print, styled } from '../../terminal/output.ts';

const BAR_CELLS = 20;

/** How much of something is used. */
export function barOf(used: number, limit: number): string {
  const share = limit > 0 ? Math.min(1, Math.max(0, used / limit)) : 1;
  // Anything that is used is seen, and what is not used up is not full.
  const cells = share === 1 ? BAR_CELLS : Math.min(BAR_CELLS - 1, Math.ceil(share * BAR_CELLS));
  return `[${'#'.repeat(cells)}${'.'.repeat(BAR_CELLS - cells)}] ${Math.floor(share * 100)}%`;
}

const line = (name: string, text: string) => print(`  ${name.padEnd(10)}${text}`);

function runsLine({ used, limit }: CurrentUsage['runs']): string {
  if (limit === null) return `${showTokens(used)} (no limit)`;
  return `${showTokens(used)} of ${showTokens(limit)}  ${barOf(used, limit)}`;
}

function budgetLine({ limitUsd, spentUsd, reservedUsd }: CurrentUsage['budget']): string {
  if (limitUsd === null) return 'none';
  const reserved = reservedUsd > 0 ? `, ${showUsd(reservedUsd)} reserved` : '';
  const spent = `${showUsd(spentUsd)} of ${showUsd(limitUsd)} spent${reserved}`;
  return `${spent}  ${barOf(spentUsd + reservedUsd, limitUsd)}`;
}

function costLine({ costUsd, unknownPrice }: UsageHistory['totals']): string {
  const { jobs, calls } = unknownPrice;
  if (calls === 0) return showUsd(costUsd);
  const unknown = `${unpricedNote(calls)} (${countOf(jobs, 'job')})`;
  return costUsd === null ? `unknown: ${unknown}` : `${showUsd(costUsd)} and ${unknown}`;
}

/** `current` is there for this month only. */
export function showSummary(
  usage: UsageHistory,
  current: CurrentUsage | undefined,
  nowMs: number,
): void {
  const { totals } = usage;
  print(styled('bold', `Usage in ${usage.month}`));
  if (current) line('Runs', runsLine(current.runs));
  line('Cost', costLine(totals));
  if (totals.simulatedCostUsd > 0) {
    line('Simulated', `${showUsd(totals.simulatedCostUsd)}, not charged`);
  }
  if (totals.recorded.runs > 0) {
    const { runs, costUsd } = totals.recorded;
    line('Recorded', `${countOf(runs, 'run')}, ${showUsd(costUsd)}`);
  }
  if (current) {
    line('Budget', budgetLine(current.budget));
    const startMs = Date.parse(current.periodStart);
    const endMs = Date.parse(current.periodEnd);
    const spentUsd = current.budget.spentUsd;
    const forecast = forecastUsd(spentUsd, { startMs, endMs, nowMs });
    if (forecast !== undefined) {
      line('Forecast', `${showUsd(forecast)} by the end of the month at this pace`);
    }
  }
  print('');
}
