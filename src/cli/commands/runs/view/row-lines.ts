// One stream of a run in a line, with its fixes below it.
import { estimateText, plusEstimate } from '../../../../domain/run/estimate-text.ts';
import { plain } from '../../../terminal/plain-text.ts';
import { showElapsed, showTokens, showUsd, sumTokens } from '../../../terminal/figures.ts';
import type { Glyphs } from '../../../terminal/glyphs.ts';
import type { RunProjection, StreamRow } from '../../../../domain/run/projection.ts';
import { isFixed, isOver } from '../../../../domain/run/projection.ts';
import { followUpText } from './follow-up-text.ts';
import { waitText } from './wait-text.ts';
import type { Line, Span } from '../../../terminal/spans.ts';
import { clip, pad } from '../../../terminal/text-width.ts';

export interface Look {
  glyphs: Glyphs;
  now: number;
  /** Which projection of the spinner. */
  tick: number;
  idWidth: number;
}

/** Put back in order, before it came to its end: the next run does it. */
function wasStopped({ status, attempt }: StreamRow, projection: RunProjection): boolean {
  return status === 'pending' && attempt > 0 && isOver(projection);
}

function signOf(row: StreamRow, projection: RunProjection, { glyphs, tick }: Look): Span {
  switch (row.status) {
    case 'complete':
      return ['green', glyphs.done];
    case 'failed':
      return [isFixed(projection, row) ? 'yellow' : 'red', glyphs.failed];
    case 'skipped':
      return ['dim', glyphs.skipped];
    case 'blocked':
      return ['yellow', glyphs.blocked];
    case 'pending':
      return wasStopped(row, projection) ? ['yellow', glyphs.paused] : ['dim', glyphs.waiting];
    case 'in_progress':
      // A run that is over leaves nothing running; what is open goes on with the next one.
      if (isOver(projection)) return ['yellow', glyphs.paused];
      return ['cyan', glyphs.spinner[tick % glyphs.spinner.length]!];
  }
}

function figuresOf(row: StreamRow, { now }: Look): string {
  const tokens = sumTokens(row.tokens) + row.liveTokens;
  const running = row.startedAt === undefined ? 0 : now - row.startedAt;
  return [
    `${showTokens(tokens)} tok`.padStart(11),
    showUsd(row.costUsd).padStart(9),
    showElapsed(row.durationMs + running).padStart(7),
    ...(row.estimatedUsd === undefined ? [] : [`  ${estimateText(row.estimatedUsd)}`]),
  ].join('');
}

function spentOf({ tokens, costUsd, estimatedUsd }: StreamRow): string {
  const count = sumTokens(tokens);
  if (count === 0) return '';
  return `  ${showTokens(count)} tok  ${showUsd(costUsd)}${plusEstimate(estimatedUsd)}`;
}

/** What it waits for, less what is there. */
function missing(row: StreamRow, { streams }: RunProjection): string[] {
  return row.waitsFor.filter((id) => {
    const status = streams.get(id)?.status;
    return status !== undefined && status !== 'complete' && status !== 'skipped';
  });
}

function whyFailed({ failedCommand, error }: StreamRow): string {
  if (failedCommand) return `${plain(failedCommand.command)} ${failedCommand.outcome}`;
  return plain(error ?? '');
}

/** What it is at, beside asking the model. */
function doingOf({ waiting, command, activity, followUp }: StreamRow, now: number): string {
  if (waiting !== undefined) {
    const isOver = waiting.until !== undefined && waiting.until <= now;
    return isOver ? '' : waitText(waiting, now);
  }
  if (command !== undefined) return plain(command);
  if (activity !== undefined) return plain(activity);
  return followUp === undefined ? '' : followUpText(followUp);
}

function tailOf(row: StreamRow, projection: RunProjection, look: Look): Line {
  switch (row.status) {
    case 'pending': {
      const names = missing(row, projection);
      if (wasStopped(row, projection)) return [['yellow', `stopped${spentOf(row)}`]];
      if (isOver(projection)) return [['dim', 'not started']];
      const what = names.length > 0 ? names.map(plain).join(', ') : 'a free slot';
      return [['dim', `waits for ${what}`]];
    }
    case 'blocked': {
      const names = missing(row, projection).filter((id) => {
        const status = projection.streams.get(id)?.status;
        return status === 'failed' || status === 'blocked';
      });
      return [['dim', `blocked by ${names.map(plain).join(', ')}`]];
    }
    case 'skipped':
      return [['dim', 'skipped']];
    case 'in_progress': {
      if (isOver(projection)) {
        return [['yellow', `was running when the run stopped${spentOf(row)}`]];
      }
      const doing = doingOf(row, look.now);
      return [
        [undefined, figuresOf(row, look)],
        [row.waiting === undefined ? 'dim' : 'yellow', doing === '' ? '' : `  ${doing}`],
      ];
    }
    case 'failed':
      return [
        [undefined, figuresOf(row, look)],
        [isFixed(projection, row) ? 'dim' : 'red', `  ${whyFailed(row)}`],
      ];
    case 'complete': {
      // Done in an earlier run: there is nothing to count.
      if (row.attempt === 0 && row.durationMs === 0) return [['dim', 'already done']];
      const saved = row.savedUsd === undefined ? '' : `  cached, saved ${showUsd(row.savedUsd)}`;
      return [
        [undefined, figuresOf(row, look)],
        ['dim', saved],
      ];
    }
  }
}

function nameOf(id: string, width: number, { glyphs }: Look): string {
  return pad(clip(plain(id), width, glyphs.ellipsis), width);
}

export function rowLine(row: StreamRow, projection: RunProjection, look: Look): Line {
  return [
    [undefined, '   '],
    signOf(row, projection, look),
    [undefined, ` ${nameOf(row.id, look.idWidth, look)} `],
    ...tailOf(row, projection, look),
    modelOf(row),
  ];
}

/** Worth its place only where another one may be asked. */
function modelOf({ rung }: StreamRow): Span {
  return ['dim', rung === undefined ? '' : `  ${plain(rung.model)}`];
}

function fixLine(fix: StreamRow, projection: RunProjection, look: Look): Line {
  const { branch } = look.glyphs;
  const round = fix.round ? `attempt ${fix.round.attempt} of ${fix.round.of}` : '';
  return [
    ['dim', `     ${branch} `],
    signOf(fix, projection, look),
    [undefined, ` ${nameOf(fix.id, Math.max(1, look.idWidth - 3 - branch.length), look)} `],
    ...tailOf(fix, projection, look),
    ['dim', round === '' ? '' : `  ${round}`],
    modelOf(fix),
  ];
}

/** The stream and what was done to fix it. */
export function streamLines(row: StreamRow, projection: RunProjection, look: Look): Line[] {
  const fixes = row.fixes.flatMap((id) => projection.streams.get(id) ?? []);
  return [rowLine(row, projection, look), ...fixes.map((fix) => fixLine(fix, projection, look))];
}
