// Tokens, money and time, short.
import { plusEstimate } from '../../domain/run/estimate-text.ts';
import { showCost } from './cost-text.ts';
import type { RunTotals, Tokens } from '../../contract/run-events.ts';

export function showTokens(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function sumTokens({ input, output }: Tokens): number {
  return input + output;
}

/** What is not known is not zero. */
export function showUsd(usd: number | null): string {
  if (usd === null) return 'unknown';
  return usd >= 100 ? `$${usd.toFixed(2)}` : `$${usd.toFixed(4)}`;
}

/** Of several calls: those whose cost is not known are counted, not forgotten. */
export function showTotalCost(
  totals: Pick<RunTotals, 'costUsd' | 'knownCostUsd' | 'unpricedCalls' | 'estimatedUsd'>,
): string {
  const { costUsd, knownCostUsd, unpricedCalls, estimatedUsd } = totals;
  const known = knownCostUsd > 0 ? knownCostUsd : null;
  const charged = costUsd === null ? showCost(known, unpricedCalls) : showUsd(costUsd);
  return charged + plusEstimate(estimatedUsd);
}

export function showElapsed(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)}s`;
  const whole = Math.floor(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}m${String(whole % 60).padStart(2, '0')}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`;
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
