// What an execution says at its end.
import type { Artifact } from '../../contract/artifact.ts';
import { estimateTokens } from './budget.ts';
import type { Price } from './budget.ts';
import type { PlanResult, PlannedStep } from './model.ts';

/** What a step's answer usually comes to. */
const USUAL_OUTPUT = 1500;

const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

export function filesChangedBy(artifacts: readonly Artifact[]): string[] {
  return [...new Set(artifacts.flatMap(({ filesChanged }) => filesChanged))];
}

export function completedSummary(artifacts: readonly Artifact[]): string {
  const files = plural(filesChangedBy(artifacts).length, 'file');
  const lines = artifacts
    .filter(({ summary }) => summary !== '')
    .map(({ streamId, summary }) => `- ${streamId}: ${summary}`);
  return [`${plural(artifacts.length, 'step')} changed ${files}.`, ...lines].join('\n');
}

export function endedSummary(
  how: 'failed' | 'cancelled',
  steps: { done: number; total: number },
  reason = '',
): string {
  const where =
    steps.total === 0 ? 'while planning' : `after ${steps.done} of ${plural(steps.total, 'step')}`;
  const said = how === 'failed' ? 'Failed' : 'Cancelled';
  return `${said} ${where}${reason === '' ? '' : `: ${reason}`}${/[.!?]$/.test(reason) ? '' : '.'}`;
}

export function planResult(
  steps: readonly PlannedStep[],
  prompts: readonly string[],
  price: (usage: Parameters<Price>[2]) => number | null,
): PlanResult {
  const waves: string[][] = [];
  for (const { wave, streamId } of steps) {
    while (waves.length < wave) waves.push([]);
    waves[wave - 1]!.push(streamId);
  }
  const input = prompts.reduce((sum, prompt) => sum + estimateTokens(prompt), 0);
  const output = USUAL_OUTPUT * steps.length;
  const usage = { input, output, cacheRead: 0, cacheWrite: 0, estimated: true };
  return {
    streams: steps.map(({ streamId, name, wave, deps, owns, reads, plan }) => ({
      streamId,
      name,
      wave,
      deps,
      owns,
      reads,
      plan,
    })),
    waves,
    estimatedTokens: input + output,
    estimatedCostUsd: price(usage),
  };
}
