// millrace status
import { findRun, statusOfRun, wavesOf } from '../../../orchestrator/index.ts';
import type { RunProjection, RunState, StreamRow } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { print, styled } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { findProject } from './project.ts';
import {
  countOf,
  showElapsed,
  showTokens,
  showTotalCost,
  sumTokens,
} from '../../terminal/figures.ts';
import { glyphsFor } from '../../terminal/glyphs.ts';
import { drawLine } from '../../terminal/spans.ts';
import { clip } from '../../terminal/text-width.ts';
import { idWidthOf, waveLines } from './view/wave-lines.ts';

const DEFAULT_WIDTH = 100;
const NAME_WIDTH = 40;
/** As the summary of a run calls it. */
const WORDS: Partial<Record<RunState, string>> = { cancelled: 'stopped' };
const RESUMABLE: ReadonlySet<RunState> = new Set(['interrupted', 'cancelled', 'paused']);

function rowDocument(row: StreamRow, now: number): object {
  const running = row.startedAt === undefined ? 0 : now - row.startedAt;
  return {
    name: row.name,
    wave: row.wave,
    status: row.status,
    attempt: row.attempt,
    waitsFor: row.waitsFor,
    ...(row.fixOf !== undefined && { fixOf: row.fixOf }),
    tokens: row.tokens,
    costUsd: row.costUsd,
    durationMs: row.durationMs + running,
    files: row.changes.map(({ path }) => path),
    ...(row.command !== undefined && { command: row.command }),
    ...(row.error !== undefined && { error: row.error }),
  };
}

export async function status(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const run = await findRun(project.stateDir, args[0]);
  const { state, projection, totals, at: now } = statusOfRun(project, run, Date.now());
  if (options['json']) {
    // Without a prototype, so that a stream may be called anything.
    const streams = Object.create(null) as Record<string, object>;
    for (const row of projection.streams.values()) streams[row.id] = rowDocument(row, now);
    const { runId, manifest, file, model, simulated } = projection;
    const startedAt = new Date(projection.startedAt).toISOString();
    const about = { runId, manifest, file, model, simulated, startedAt };
    print(JSON.stringify({ ...about, status: state, streams, totals }));
    return EXIT.ok;
  }
  print(draw(projection, now).join('\n'));
  const counts = Object.entries(totals.streams).filter(([, count]) => count > 0);
  const wordOf = (name: string) =>
    name === 'in_progress' && projection.isCutOff ? 'interrupted' : name.replace('_', ' ');
  const words = counts.map(([name, count]) => `${count} ${wordOf(name)}`);
  if (totals.fixes > 0) words.push(countOf(totals.fixes, 'fix', 'fixes'));
  const figures = [
    showElapsed(totals.durationMs),
    `${showTokens(sumTokens(totals.tokens))} tokens`,
    `${showTotalCost(totals)}${projection.simulated ? ' (simulated)' : ''}`,
  ];
  print(`\n ${styled('bold', WORDS[state] ?? state)}  ${words.join(', ')}  ${figures.join('  ')}`);
  if (projection.isReverted) print(' Its changes were reverted.');
  else if (RESUMABLE.has(state)) print(` Resume with: ${commandLine('run', projection.file)}`);
  if (state === 'failed') print(` Why it failed: ${commandLine('explain', run.runId)}`);
  if (state === 'interrupted') print(' The process of this run is gone.');
  return EXIT.ok;
}

function draw(projection: RunProjection, now: number): string[] {
  const width = process.stdout.columns ?? DEFAULT_WIDTH;
  const look = {
    glyphs: glyphsFor(process.env),
    now,
    tick: 0,
    idWidth: idWidthOf(projection, width),
  };
  const head = drawLine(
    [
      // The id behind it is what one wants to copy.
      ['bold', ` ${clip(plain(projection.manifest), NAME_WIDTH, look.glyphs.ellipsis)}`],
      ['dim', `  ${projection.runId}  ${plain(projection.model)}`],
    ],
    width - 1,
    styled,
  );
  const lines = wavesOf(projection).flatMap((wave) => waveLines(wave, projection, look));
  return [head, ...lines.map((line) => drawLine(line, width - 1, styled))];
}
