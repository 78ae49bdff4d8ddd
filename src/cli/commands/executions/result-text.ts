// What an execution came to, and what to do with it.
import type { Execution } from '../../../client/index.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { showCost } from '../../terminal/cost-text.ts';
import { countOf, showElapsed, showTokens } from '../../terminal/figures.ts';
import type { Glyphs } from '../../terminal/glyphs.ts';
import type { Paint, Style } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { harmless } from '../../terminal/diff-colours.ts';
import { clip, stripStyles } from '../../terminal/text-width.ts';

const MOST_FILES = 20;
const MOST_LINES = 40;
const HEADS: Record<Execution['status'], [Style, keyof Glyphs]> = {
  completed: ['green', 'done'],
  failed: ['red', 'failed'],
  cancelled: ['yellow', 'paused'],
  running: ['cyan', 'waiting'],
};

export function exitOf({ status, result }: Execution): number {
  if (status === 'completed' || status === 'running') return EXIT.ok;
  if (result?.error?.code === 'BUDGET_EXCEEDED') return EXIT.budget;
  if (result?.error?.code === 'TIMEOUT') return EXIT.timedOut;
  return EXIT.failed;
}

/** `✓ completed  3/3 steps  4.2s  3,412 tokens  $0.0120 (simulated)` */
export function headLine(execution: Execution, paint: Paint, glyphs: Glyphs): string {
  const { status, progress, metrics, simulated, result } = execution;
  const [style, glyph] = HEADS[status];
  const isPlan = result?.plan !== undefined;
  const parts = [
    paint(style, `${String(glyphs[glyph])} ${isPlan ? 'planned' : status}`),
    isPlan || progress.total === 0 ? '' : `${progress.current}/${progress.total} steps`,
    showElapsed(metrics.duration),
    `${showTokens(metrics.tokensUsed)} tokens`,
    `${showCost(metrics.costUsd, metrics.unpricedCalls)}${simulated ? ' (simulated)' : ''}`,
  ];
  return parts.filter((part) => part !== '').join('  ');
}

/** What was done, in the words of the model: its lines, and nothing that a terminal would obey. */
export function summaryLines(summary: string): string[] {
  const lines = harmless(stripStyles(summary)).trimEnd().split('\n');
  return lines.filter((line, at) => line !== '' || lines[at - 1] !== '').slice(0, MOST_LINES);
}

/** The files that its artifacts change, each once, by the last thing that happens to it. */
export function changedFiles({ result }: Execution): [kind: string, path: string][] {
  const files = new Map<string, string>();
  for (const { operations } of result?.artifacts ?? []) {
    for (const { type, path } of operations) {
      const isNew = files.get(path) === 'create' && type === 'edit';
      files.set(path, isNew ? 'create' : type);
    }
  }
  return [...files].map(([path, kind]) => [kind, path]);
}

export function fileLines(execution: Execution): string[] {
  const files = changedFiles(execution);
  const shown = files
    .slice(0, MOST_FILES)
    .map(([kind, path]) => `  ${kind.padEnd(6)}  ${plain(path)}`);
  const more = files.length - shown.length;
  return more > 0 ? [...shown, `  and ${more} more`] : shown;
}

/** Of a dry run: the steps, wave by wave, with what each waits for and writes. */
export function planLines({ result }: Execution, width: number): string[] {
  const plan = result?.plan;
  if (plan === undefined) return [];
  const byId = new Map(plan.streams.map((stream) => [stream.streamId, stream]));
  const lines = plan.waves.flatMap((ids, index) => [
    `Wave ${index + 1}`,
    ...ids.flatMap((id) => {
      const stream = byId.get(id);
      if (stream === undefined) return [`  ${plain(id)}`];
      const name = stream.name === id ? '' : `  ${plain(stream.name)}`;
      return [
        clip(`  ${plain(id)}${name}`, width),
        ...(stream.deps.length > 0 ? [`    after   ${stream.deps.map(plain).join(', ')}`] : []),
        ...(stream.owns.length > 0 ? [`    writes  ${stream.owns.map(plain).join(', ')}`] : []),
        ...(stream.reads.length > 0 ? [`    reads   ${stream.reads.map(plain).join(', ')}`] : []),
      ];
    }),
  ]);
  const cost =
    plan.estimatedCostUsd === null ? 'cost unknown' : `about $${plan.estimatedCostUsd.toFixed(4)}`;
  const total = `${countOf(plan.streams.length, 'step')}, about ${showTokens(plan.estimatedTokens)} tokens, ${cost}`;
  return [...lines, '', total];
}

/** Commands to type next. They come last, so that a long one can still be copied as a whole. */
export function nextLines(execution: Execution, paint: Paint): string[] {
  const { id, status } = execution;
  const next: [string, string][] = [];
  if (status === 'running') {
    next.push(['Follow it', commandLine('exec', 'get', id, '--wait')]);
    next.push(['Cancel it', commandLine('exec', 'cancel', id)]);
  } else if (execution.result?.plan !== undefined) {
    next.push(['Run this plan', commandLine('exec', 'start', id)]);
  } else if (changedFiles(execution).length > 0) {
    next.push(['See the changes', commandLine('diff', id)]);
    next.push(['Write the files', commandLine('apply', id)]);
  }
  const width = Math.max(0, ...next.map(([what]) => what.length));
  return next.map(([what, command]) => `  ${paint('dim', what.padEnd(width))}  ${command}`);
}
