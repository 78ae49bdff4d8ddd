// The view for terminals: waves that are finished are printed and stay, the rest is redrawn.
import { plusEstimate } from '../../../../domain/run/estimate-text.ts';
import type { RunEvent } from '../../../../contract/run-events.ts';
import { FRAME_MS } from '../../../terminal/live-options.ts';
import type { LiveOptions } from '../../../terminal/live-options.ts';
import { plain } from '../../../terminal/plain-text.ts';
import { showElapsed, showUsd } from '../../../terminal/figures.ts';
import { addCosts, addEstimates } from '../../../../domain/run/replay.ts';
import type { RunProjection, Projector } from '../../../../domain/run/projection.ts';
import { isOver, wavesOf } from '../../../../domain/run/projection.ts';
import { WITHOUT_SANDBOX } from '../../../../domain/run/without-sandbox.ts';
import { createScreen } from '../../../terminal/screen.ts';
import { drawLine } from '../../../terminal/spans.ts';
import type { Line } from '../../../terminal/spans.ts';
import type { RunView } from './run-view.ts';
import { fitWaves, idWidthOf, settledWaves, waveLines } from './wave-lines.ts';
import { clip } from '../../../terminal/text-width.ts';

export interface LiveViewOptions extends LiveOptions {
  projector: Projector;
}

function footOf(projection: RunProjection, now: number, { glyphs, keys }: LiveViewOptions): Line {
  const rows = wavesOf(projection).flatMap(([, wave]) => wave);
  const done = rows.filter(({ status }) => status === 'complete').length;
  const cost = [...projection.streams.values()].reduce<number | null>(
    (sum, row) => addCosts(sum, row.costUsd),
    0,
  );
  const estimated = [...projection.streams.values()]
    .map(({ estimatedUsd }) => estimatedUsd)
    .reduce(addEstimates, undefined);
  const simulated = projection.simulated ? ' simulated' : '';
  const money = `${showUsd(cost)}${plusEstimate(estimated)}${simulated}`;
  const elapsed = showElapsed(now - projection.startedAt);
  return [
    [undefined, ` ${done}/${rows.length} streams   ${elapsed}   ${money}   `],
    ['dim', keys.replaceAll(' - ', ` ${glyphs.separator} `)],
  ];
}

export function createLiveView(options: LiveViewOptions): RunView {
  const { projector, terminal, glyphs, paint, now } = options;
  const { projection } = projector;
  const screen = createScreen(terminal);
  let printedWaves = 0;
  let waiting: string[] = [];
  let tick = 0;
  let isHeld = false;
  let hasHead = false;
  let timer: NodeJS.Timeout | undefined;

  const lookOf = (columns: number) => ({
    glyphs,
    now: projection.isCutOff ? projection.lastAt : now(),
    tick,
    idWidth: idWidthOf(projection, columns),
  });
  // One column stays free: some terminals break a line that fills the last one.
  const drawn = (lines: readonly Line[], columns: number) =>
    lines.map((line) => drawLine(line, columns - 1, paint));

  function finishedLines(columns: number): string[] {
    const settled = isOver(projection) ? wavesOf(projection).length : settledWaves(projection);
    const waves = wavesOf(projection).slice(printedWaves, settled);
    printedWaves = Math.max(printedWaves, settled);
    return drawn(
      waves.flatMap((wave) => waveLines(wave, projection, lookOf(columns))),
      columns,
    );
  }

  function frame(): void {
    if (isHeld || projection.runId === '') return;
    const columns = screen.columns();
    const printed = [...waiting, ...finishedLines(columns)];
    waiting = [];
    // Two for the footer; the row that stays free keeps the top from being pushed out.
    const rows = screen.rows() - 3;
    const waves = fitWaves(projection, lookOf(columns), { first: printedWaves, rows });
    const foot: Line[] = [[], footOf(projection, now(), options)];
    screen.draw(drawn([...waves, ...foot], columns), printed);
    tick += 1;
  }

  function headOf(event: Extract<RunEvent, { type: 'run.started' }>): string[] {
    const resumed = event.resumed ? ', resumed' : '';
    const name = clip(plain(event.manifest), 40, glyphs.ellipsis);
    const line: Line = [
      ['bold', ` ${name}`],
      ['dim', `  ${event.runId}  ${plain(event.model)}${resumed}`],
    ];
    const without: Line[] = event.agentsWithoutSandbox
      ? [[['yellow', ` ! ${WITHOUT_SANDBOX}`]]]
      : [];
    return drawn([line, ...without], screen.columns());
  }

  function start(): void {
    timer ??= setInterval(frame, FRAME_MS);
  }

  terminal.on('resize', frame);
  return {
    follow(event) {
      projector.follow(event);
      if (event.type === 'run.started') {
        // Of one that was resumed, everything is followed from its first start: one head.
        if (!hasHead) waiting.push(...headOf(event));
        hasHead = true;
        start();
        frame();
      }
      if (event.type === 'run.note' && event.level === 'warning') {
        const text = ` ! ${plain(event.message)}`;
        waiting.push(drawLine([['yellow', text]], screen.columns() - 1, paint));
      }
    },
    say(text) {
      waiting.push(drawLine([['yellow', ` ${plain(text)}`]], screen.columns() - 1, paint));
      if (projection.runId === '') terminal.write(`${waiting.splice(0).join('\n')}\n`);
      else frame();
    },
    hold() {
      isHeld = true;
      screen.clear();
    },
    resume() {
      isHeld = false;
      frame();
    },
    close() {
      clearInterval(timer);
      terminal.off('resize', frame);
      if (projection.runId !== '') {
        // Everything that was not printed yet, in full: it stays in the scrollback.
        const columns = screen.columns();
        if (isOver(projection)) screen.draw([], [...waiting.splice(0), ...finishedLines(columns)]);
        else frame();
      }
      screen.close();
    },
  };
}
