// The waves of a run in as many lines as there are. What is folded first is what one can do without
// first: finished waves, waves that have not begun, finished streams, waiting ones. Failures and
// what runs stay open.
import { countOf, showTokens, showUsd, sumTokens } from '../../../terminal/figures.ts';
import { plusEstimate } from '../../../../domain/run/estimate-text.ts';
import { addCosts, addEstimates } from '../../../../domain/run/replay.ts';
import type { RunProjection, StreamRow } from '../../../../domain/run/projection.ts';
import { isSettled, wavesOf } from '../../../../domain/run/projection.ts';
import type { Look } from './row-lines.ts';
import { streamLines } from './row-lines.ts';
import type { Line } from '../../../terminal/spans.ts';
import { textWidth } from '../../../terminal/text-width.ts';

/** How much is folded, from nothing to everything that may be. */
const FOLDS = [0, 1, 2, 3, 4] as const;
const FOLD = { doneWaves: 1, waitingWaves: 2, doneStreams: 3, waitingStreams: 4 } as const;

const WIDEST_ID = 32;
/** `-fix-1` and its branch: kept free from the start, so that columns stay where they are. */
const FIX_WIDTH = 10;

export function idWidthOf({ streams }: RunProjection, columns: number): number {
  let width = 6;
  for (const { id, fixOf } of streams.values()) {
    if (fixOf === undefined) width = Math.max(width, textWidth(id) + FIX_WIDTH);
  }
  return Math.min(width, Math.max(8, Math.min(WIDEST_ID, Math.floor(columns * 0.35))));
}

function isGood({ status, fixes }: StreamRow): boolean {
  return (status === 'complete' || status === 'skipped') && fixes.length === 0;
}

function isWaiting({ status }: StreamRow): boolean {
  return status === 'pending' || status === 'blocked';
}

function headOf(wave: number, rows: readonly StreamRow[]): Line {
  const done = rows.filter(({ status }) => status === 'complete').length;
  return [
    ['bold', ` Wave ${wave}`],
    ['dim', `  ${done}/${rows.length}`],
  ];
}

function sumOf(rows: readonly StreamRow[]): string {
  const tokens = rows.reduce((sum, row) => sum + sumTokens(row.tokens), 0);
  const cost = rows.reduce<number | null>((sum, row) => addCosts(sum, row.costUsd), 0);
  const estimated = rows.map(({ estimatedUsd }) => estimatedUsd).reduce(addEstimates, undefined);
  return `${showTokens(tokens)} tok  ${showUsd(cost)}${plusEstimate(estimated)}`;
}

export function waveLines(
  [wave, rows]: readonly [number, readonly StreamRow[]],
  projection: RunProjection,
  look: Look,
  fold = 0,
): Line[] {
  const head = headOf(wave, rows);
  const { done, waiting, skipped } = look.glyphs;
  if (fold >= FOLD.doneWaves && rows.every(isGood)) {
    const isAllSkipped = rows.every(({ status }) => status === 'skipped');
    const sign = isAllSkipped
      ? (['dim', `  ${skipped}`] as const)
      : (['green', `  ${done}`] as const);
    return [[...head, sign, ['dim', `  ${sumOf(rows)}`]]];
  }
  if (fold >= FOLD.waitingWaves && rows.every(isWaiting)) {
    return [[...head, ['dim', `  ${waiting} ${waitingWord(rows)}`]]];
  }
  const lines: Line[] = [head];
  const good = fold >= FOLD.doneStreams ? rows.filter(isGood) : [];
  const late = fold >= FOLD.waitingStreams ? rows.filter(isWaiting) : [];
  const folded = new Set([...(good.length > 1 ? good : []), ...(late.length > 1 ? late : [])]);
  if (good.length > 1) {
    lines.push([
      ['green', `   ${done}`],
      ['dim', ` ${good.length} done  ${sumOf(good)}`],
    ]);
  }
  for (const row of rows) if (!folded.has(row)) lines.push(...streamLines(row, projection, look));
  if (late.length > 1) lines.push([['dim', `   ${waiting} ${late.length} ${waitingWord(late)}`]]);
  return lines;
}

function waitingWord(rows: readonly StreamRow[]): string {
  return rows.every(({ status }) => status === 'blocked') ? 'blocked' : 'waiting';
}

function cutTo(lines: readonly Line[], rows: number, ellipsis: string): Line[] {
  if (lines.length <= rows) return [...lines];
  const kept = lines.slice(0, Math.max(0, rows - 1));
  const more = countOf(lines.length - kept.length, 'more line');
  return rows > 0 ? [...kept, [['dim', `   ${ellipsis} ${more}`]]] : [];
}

/** Waves from `first` on, in at most `rows` lines. */
export function fitWaves(
  projection: RunProjection,
  look: Look,
  { first, rows }: { first: number; rows: number },
): Line[] {
  const waves = wavesOf(projection).slice(first);
  let lines: Line[] = [];
  for (const fold of FOLDS) {
    lines = waves.flatMap((wave) => waveLines(wave, projection, look, fold));
    if (lines.length <= rows) return lines;
  }
  return cutTo(lines, rows, look.glyphs.ellipsis);
}

/** How many waves from the first on have nothing left to do. */
export function settledWaves(projection: RunProjection): number {
  const waves = wavesOf(projection);
  const open = waves.findIndex(([, rows]) => rows.some((row) => !isSettled(projection, row)));
  return open < 0 ? waves.length : open;
}
