// The view for terminals: steps, tokens and cost, redrawn in place.
import type { Execution, ExecutionStep } from '../../../../client/index.ts';
import { FRAME_MS } from '../../../terminal/live-options.ts';
import type { LiveOptions } from '../../../terminal/live-options.ts';
import { plain } from '../../../terminal/plain-text.ts';
import { createScreen } from '../../../terminal/screen.ts';
import { drawLine } from '../../../terminal/spans.ts';
import type { Line } from '../../../terminal/spans.ts';
import { clip } from '../../../terminal/text-width.ts';
import type { ExecutionView } from './execution-view.ts';
import { stepLines, totalsOf } from './step-lines.ts';
import type { StepLook } from './step-lines.ts';

const TASK_WIDTH = 36;

export function createLiveView(options: LiveOptions): ExecutionView {
  const { terminal, glyphs, paint, now } = options;
  const screen = createScreen(terminal);
  const startedAt = now();
  /** When each step was first seen running. */
  const seenRunning = new Map<number, number>();
  let shown: Execution | undefined;
  let hasHead = false;
  let tick = 0;

  const isOver = () => shown !== undefined && shown.status !== 'running';
  const lookOf = (columns: number): StepLook => ({
    glyphs,
    columns,
    tick,
    isOver: isOver(),
    runningMs(step: ExecutionStep) {
      const since = seenRunning.get(step.index);
      return since === undefined ? undefined : now() - since;
    },
  });

  function headOf({ id, task, model }: Execution): Line {
    return [
      ['bold', ` ${clip(plain(task), TASK_WIDTH, glyphs.ellipsis)}`],
      ['dim', `  ${id}  ${plain(model)}`],
    ];
  }

  function planningOf(execution: Execution): Line[] {
    if (execution.steps.length > 0 || isOver()) return [];
    const spinner = glyphs.spinner[tick % glyphs.spinner.length]!;
    return [
      [
        ['cyan', `   ${spinner}`],
        [undefined, ' Planning the steps'],
      ],
    ];
  }

  function frame(): void {
    if (shown === undefined) return;
    // One column stays free: some terminals break a line that fills the last one.
    const columns = screen.columns() - 1;
    const draw = (lines: readonly Line[]) => lines.map((line) => drawLine(line, columns, paint));
    const head = hasHead ? [] : draw([headOf(shown)]);
    hasHead = true;
    const rows = isOver() ? Infinity : screen.rows() - 3;
    const steps = [...planningOf(shown), ...stepLines(shown.steps, lookOf(columns), rows)];
    if (isOver()) screen.draw([], [...head, ...draw(steps)]);
    else {
      const foot: Line = [
        [undefined, ` ${totalsOf(shown, now() - startedAt)}   `],
        ['dim', options.keys],
      ];
      screen.draw(draw([...steps, [], foot]), head);
    }
    tick += 1;
  }

  const timer = setInterval(frame, FRAME_MS);
  terminal.on('resize', frame);
  return {
    show(execution) {
      // The steps of a dry run are not run: they are shown as a plan, at the end.
      shown = execution.dryRun ? { ...execution, steps: [] } : execution;
      for (const { index, status } of execution.steps) {
        if (status === 'in_progress' && !seenRunning.has(index)) seenRunning.set(index, now());
      }
    },
    close() {
      clearInterval(timer);
      terminal.off('resize', frame);
      frame();
      screen.close();
    },
  };
}
