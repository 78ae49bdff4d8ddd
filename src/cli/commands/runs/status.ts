// millrace status
import { findRun, statusDocument, statusOfRun, wavesOf } from '../../../orchestrator/index.ts';
import type { RunProjection, RunState } from '../../../orchestrator/index.ts';
import { WITHOUT_SANDBOX } from '../../../domain/run/without-sandbox.ts';
import { resumeWords } from '../../../domain/run/resume-words.ts';
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
import { widthOf } from '../../terminal/table.ts';
import { clip } from '../../terminal/text-width.ts';
import { idWidthOf, waveLines } from './view/wave-lines.ts';

const NAME_WIDTH = 40;
/** As the summary of a run calls it. */
const WORDS: Partial<Record<RunState, string>> = { cancelled: 'stopped' };
const RESUMABLE: ReadonlySet<RunState> = new Set(['interrupted', 'cancelled', 'paused']);

export async function status(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const run = await findRun(project.stateDir, args[0]);
  const found = statusOfRun(project, run, Date.now());
  const { state, projection, totals, at: now } = found;
  if (options['json']) {
    print(JSON.stringify(statusDocument(found)));
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
  else if (RESUMABLE.has(state)) print(` Resume with: ${commandLine(...resumeWords(projection))}`);
  if (state === 'failed') print(` Why it failed: ${commandLine('explain', run.runId)}`);
  if (state === 'interrupted') print(' The process of this run is gone.');
  return EXIT.ok;
}

function draw(projection: RunProjection, now: number): string[] {
  const width = widthOf(process.stdout);
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
  const without = projection.agentsWithoutSandbox
    ? [styled('yellow', ` ! ${WITHOUT_SANDBOX}`)]
    : [];
  return [head, ...without, ...lines.map((line) => drawLine(line, width - 1, styled))];
}
