// The steps of an execution in lines, wave by wave.
import type { Execution, ExecutionStep } from '../../../../client/index.ts';
import { showElapsed, showTokens, showUsd } from '../../../terminal/figures.ts';
import type { Glyphs } from '../../../terminal/glyphs.ts';
import { plain } from '../../../terminal/plain-text.ts';
import type { Line, Span } from '../../../terminal/spans.ts';
import { clip, pad, textWidth } from '../../../terminal/text-width.ts';

export interface StepLook {
  glyphs: Glyphs;
  columns: number;
  /** Which frame of the spinner. */
  tick: number;
  /** How long a step has run, as far as the viewer saw it start. */
  runningMs(step: ExecutionStep): number | undefined;
  /** Nothing is running any more. */
  isOver: boolean;
}

const WIDEST_ID = 24;
/** Sign, figures and the gaps between. */
const FIGURES_WIDTH = 22;

function signOf({ status }: ExecutionStep, { glyphs, tick, isOver }: StepLook): Span {
  switch (status) {
    case 'complete':
      return ['green', glyphs.done];
    case 'failed':
      return ['red', glyphs.failed];
    case 'skipped':
      return ['dim', glyphs.skipped];
    case 'blocked':
      return ['yellow', glyphs.blocked];
    case 'pending':
      return ['dim', glyphs.waiting];
    case 'in_progress':
      if (isOver) return ['yellow', glyphs.paused];
      return ['cyan', glyphs.spinner[tick % glyphs.spinner.length]!];
  }
}

function figuresOf(step: ExecutionStep, look: StepLook): string {
  const ms = step.durationMs ?? look.runningMs(step);
  const time = ms === undefined || step.status === 'pending' ? '' : showElapsed(ms);
  const tokens = step.tokensUsed > 0 ? `${showTokens(step.tokensUsed)} tok` : '';
  return `${tokens.padStart(12)}${time.padStart(8)}`;
}

function stepLine(step: ExecutionStep, idWidth: number, look: StepLook): Line {
  const nameWidth = Math.max(0, look.columns - idWidth - FIGURES_WIDTH - 7);
  const name = step.name === step.streamId ? '' : plain(step.name);
  return [
    [undefined, '   '],
    signOf(step, look),
    [undefined, ` ${pad(clip(plain(step.streamId), idWidth, look.glyphs.ellipsis), idWidth)} `],
    ['dim', pad(clip(name, nameWidth, look.glyphs.ellipsis), nameWidth)],
    [undefined, figuresOf(step, look)],
  ];
}

export function wavesOf(steps: readonly ExecutionStep[]): [number, ExecutionStep[]][] {
  const waves = new Map<number, ExecutionStep[]>();
  for (const step of steps) {
    const wave = waves.get(step.wave);
    if (wave === undefined) waves.set(step.wave, [step]);
    else wave.push(step);
  }
  return [...waves].sort(([a], [b]) => a - b);
}

/** At most `rows` lines: finished waves are folded first, then the end is cut. */
export function stepLines(
  steps: readonly ExecutionStep[],
  look: StepLook,
  rows = Infinity,
): Line[] {
  const widest = Math.max(4, ...steps.map(({ streamId }) => textWidth(streamId)));
  const idWidth = Math.min(widest, WIDEST_ID, Math.max(8, Math.floor(look.columns * 0.3)));
  const linesOf = (folds: boolean) =>
    wavesOf(steps).flatMap(([wave, inWave]): Line[] => {
      const done = inWave.filter(({ status }) => status === 'complete').length;
      const head: Line = [
        ['bold', ` Wave ${wave}`],
        ['dim', `  ${done}/${inWave.length}`],
      ];
      const isDone = done === inWave.length;
      const isWaiting = inWave.every(({ status }) => status === 'pending');
      if (folds && isDone) return [[...head, ['green', `  ${look.glyphs.done}`]]];
      if (folds && isWaiting) return [[...head, ['dim', `  ${look.glyphs.waiting} waiting`]]];
      return [head, ...inWave.map((step) => stepLine(step, idWidth, look))];
    });
  const all = linesOf(false);
  if (all.length <= rows) return all;
  const folded = linesOf(true);
  if (folded.length <= rows) return folded;
  const kept = folded.slice(0, Math.max(0, rows - 1));
  return [...kept, [['dim', `   ${look.glyphs.ellipsis} ${folded.length - kept.length} more`]]];
}

/** ` 1/3 steps   4.2s   3,412 tokens   $0.0120 simulated` */
export function totalsOf(
  execution: Pick<Execution, 'progress' | 'metrics' | 'simulated'>,
  elapsedMs: number,
): string {
  const { progress, metrics, simulated } = execution;
  const steps = progress.total === 0 ? 'planning' : `${progress.current}/${progress.total} steps`;
  const cost = showUsd(metrics.costUsd) + (simulated ? ' simulated' : '');
  return [steps, showElapsed(elapsedMs), `${showTokens(metrics.tokensUsed)} tokens`, cost].join(
    '   ',
  );
}
