// What a run came to: the last lines on standard output.
import type { RunTotals } from '../../../../contract/run-events.ts';
import type { RunEndEvent } from '../../../../domain/run/events.ts';
import { commandLine } from '../../../command-name.ts';
import { shellWord } from '../../../../domain/command/suggested-command.ts';
import { enoughText } from '../../../../domain/run/enough.ts';
import type { EnoughUsd } from '../../../../domain/run/enough.ts';
import type { Paint, Style } from '../../../terminal/output.ts';
import { plain } from '../../../terminal/plain-text.ts';
import {
  countOf,
  showElapsed,
  showTokens,
  showTotalCost,
  showUsd,
  sumTokens,
} from '../../../terminal/figures.ts';
import type { Glyphs } from '../../../terminal/glyphs.ts';
import type { RunProjection, StreamRow } from '../../../../domain/run/projection.ts';
import { lastTry, passedModels, wavesOf } from '../../../../domain/run/projection.ts';
import { WITHOUT_SANDBOX } from '../../../../domain/run/without-sandbox.ts';
import { clip } from '../../../terminal/text-width.ts';

const HEADS: Record<RunEndEvent['type'], [word: string, style: Style, glyph: keyof Glyphs]> = {
  'run.completed': ['complete', 'green', 'done'],
  'run.failed': ['failed', 'red', 'failed'],
  'run.cancelled': ['stopped', 'yellow', 'paused'],
  'run.paused': ['paused', 'yellow', 'paused'],
};
const MOST_FAILURES = 5;
const ERROR_WIDTH = 100;

function streamsOf({ streams, fixes }: RunTotals, isGood: boolean): string {
  const total = Object.values(streams).reduce((sum, count) => sum + count, 0);
  const more = fixes > 0 ? ` + ${countOf(fixes, 'fix', 'fixes')}` : '';
  const skipped = streams.skipped > 0 ? ` (${streams.skipped} skipped)` : '';
  if (isGood) return `${countOf(total, 'stream')}${more}${skipped}`;
  const parts = Object.entries(streams).filter(([, count]) => count > 0);
  const counts = parts.map(([status, count]) => `${count} ${status.replace('_', ' ')}`).join(', ');
  return `${counts}${more}`;
}

function failuresOf({ streams }: RunProjection): StreamRow[] {
  return [...streams.values()].filter(
    ({ status, fixOf }) => status === 'failed' && fixOf === undefined,
  );
}

function changesOf({ streams }: RunProjection): string | undefined {
  const paths = new Set<string>();
  let added = 0;
  let deleted = 0;
  for (const { changes } of streams.values()) {
    for (const { path, additions, deletions } of changes) {
      paths.add(path);
      added += additions;
      deleted += deletions;
    }
  }
  if (paths.size === 0) return undefined;
  return `${paths.size} (+${added} -${deleted})`;
}

type Next = [what: string, command: string];

/** Streams that are done are done again when they are named. */
function runAgain(projection: RunProjection, again: Rerun): Next[] {
  const rows = wavesOf(projection).flatMap(([, wave]) => wave);
  const row = rows.find(({ status }) => status === 'complete') ?? rows[0];
  if (row === undefined) return [];
  const id = plain(row.id);
  return [
    [`Run ${id} and its dependents again`, again('--from', id)],
    [`Run only ${id} again`, again('--only', id)],
  ];
}

function enoughLine({ next, everything }: EnoughUsd): string {
  const all = everything === undefined ? '' : `, ${enoughText(everything)} everything`;
  return `--max-cost ${enoughText(next)} would cover the next call${all}.`;
}

/** Takes the streams to run, as flags. */
type Rerun = (...selection: string[]) => string;

export interface SummaryOptions {
  glyphs: Glyphs;
  paint: Paint;
  /** The command that runs other streams of it; undefined where no command would find it any more. */
  again: Rerun | undefined;
  /** The command that resumes it. */
  resume?: string;
  /** What would have been enough, when a budget ended the run. */
  enough?: EnoughUsd;
  /** Artifacts were kept, not applied. */
  isKept: boolean;
}

export function showSummary(
  projection: RunProjection,
  end: RunEndEvent,
  options: SummaryOptions,
): string {
  const { glyphs, paint, again } = options;
  const { totals } = end;
  const [word, style, glyph] = HEADS[end.type];
  const simulated = projection.simulated ? ' (simulated)' : '';
  const lines = [
    [
      paint(style, `${String(glyphs[glyph])} ${word}`),
      streamsOf(totals, end.type === 'run.completed'),
      showElapsed(totals.durationMs),
      `${showTokens(sumTokens(totals.tokens))} tokens`,
      `${showTotalCost(totals)}${simulated}`,
    ].join('  '),
  ];
  if (end.type === 'run.failed' && end.reason) lines.push(`  ${plain(end.reason)}`);
  if (end.type === 'run.paused') lines.push(`  ${plain(end.reason)}`);
  if (projection.agentsWithoutSandbox) lines.push(paint('yellow', `  ! ${WITHOUT_SANDBOX}`));
  const { cachedCalls, savedUsd } = totals;
  if (cachedCalls > 0) {
    const saved = `saved ${showUsd(savedUsd)} (--no-cache asks again)`;
    lines.push(`  Cached: ${countOf(cachedCalls, 'answer')} used again, ${saved}`);
  }
  const passed = passedModels(projection);
  if (passed.length > 0) {
    const each = passed.map(({ model, streams }) => `${plain(model)} ${streams}`);
    lines.push(`  Completed by: ${each.join(', ')}`);
  }
  if (options.enough) lines.push(`  ${enoughLine(options.enough)}`);
  const failures = failuresOf(projection);
  for (const row of failures.slice(0, MOST_FAILURES)) {
    const { failedCommand, error } = lastTry(projection, row);
    const why = failedCommand
      ? `${plain(failedCommand.command)} ${failedCommand.outcome}`
      : plain(error ?? '');
    const tries = row.fixes.length > 0 ? ` (${row.fixes.length + 1} attempts)` : '';
    lines.push(`  ${paint('red', plain(row.id))}  ${clip(why, ERROR_WIDTH)}${tries}`);
  }
  if (failures.length > MOST_FAILURES) lines.push(`  and ${failures.length - MOST_FAILURES} more`);
  const changes = changesOf(projection);
  if (changes !== undefined) lines.push(`  Files changed: ${changes}`);
  const { branch, commits } = projection;
  if (branch !== undefined)
    lines.push(`  On branch ${plain(branch)}: ${countOf(commits, 'commit')}`);
  const isIdle = end.type === 'run.completed' && projection.isIdle;
  if (isIdle) lines.push('  Nothing to do: every stream is complete or skipped.');
  if (again === undefined) return lines.join('\n');
  const { runId } = projection;
  const next: Next[] = isIdle ? runAgain(projection, again) : [];
  if (failures.length > 0) next.push(['Why it failed', commandLine('explain', runId)]);
  if (changes !== undefined) {
    next.push(['Changes', commandLine('diff', runId)]);
    if (branch === undefined) next.push(['Revert', commandLine('revert', runId)]);
  }
  if (branch !== undefined && commits > 0) {
    next.push(['Merge', `git merge ${shellWord(branch)}`]);
    next.push(['Request', commandLine('pr', runId)]);
    next.push(['Delete', commandLine('revert', runId, '--delete-branch')]);
  }
  if (options.isKept) next.push(['Apply', commandLine('apply', runId)]);
  if (end.type !== 'run.completed') next.push(['Resume', options.resume ?? again()]);
  const width = Math.max(0, ...next.map(([what]) => what.length));
  // Commands stand last: where one is longer than the line, it can still be copied as a whole.
  for (const [what, command] of next) {
    lines.push(`  ${paint('dim', what.padEnd(width))}  ${command}`);
  }
  return lines.join('\n');
}
