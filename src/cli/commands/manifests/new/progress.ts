// What `millrace new` shows while a plan is being made.
import { showElapsed } from '../../../terminal/figures.ts';
import { FRAME_MS, liveOptionsOf } from '../../../terminal/live-options.ts';
import { note } from '../../../terminal/output.ts';
import type { Progress } from '../../../terminal/progress.ts';
import { createScreen } from '../../../terminal/screen.ts';
import { drawLine } from '../../../terminal/spans.ts';

export interface PlanningView {
  /** Something else begins. */
  step(text: string): void;
  /** How far it is. */
  detail(text: string): void;
  /** Makes room for what others print, until the next step. */
  hide(): void;
  close(): void;
}

const SILENT: PlanningView = { step() {}, detail() {}, hide() {}, close() {} };

function live(env: NodeJS.ProcessEnv): PlanningView {
  const { terminal, glyphs, paint, now, keys } = liveOptionsOf('ctrl-c stops', env);
  const screen = createScreen(terminal);
  const startedAt = now();
  let shown = { text: '', detail: '' };
  let tick = 0;
  let isOpen = true;
  const frame = () => {
    if (!isOpen || shown.text === '') return;
    const spinner = glyphs.spinner[tick % glyphs.spinner.length]!;
    const { text, detail } = shown;
    const about = [detail, showElapsed(now() - startedAt), keys].filter((part) => part !== '');
    const line = drawLine(
      [
        ['cyan', ` ${spinner}`],
        [undefined, ` ${text}  `],
        ['dim', about.join(` ${glyphs.separator} `)],
      ],
      screen.columns() - 1,
      paint,
    );
    screen.draw([line]);
    tick += 1;
  };
  const timer = setInterval(frame, FRAME_MS);
  return {
    step(text) {
      shown = { text, detail: '' };
      frame();
    },
    detail(detail) {
      shown = { ...shown, detail };
    },
    hide() {
      shown = { text: '', detail: '' };
      screen.clear();
    },
    close() {
      // What is printed afterwards must not be cleared by a second call.
      if (!isOpen) return;
      isOpen = false;
      clearInterval(timer);
      screen.clear();
      screen.close();
    },
  };
}

export function openPlanningView(mode: Progress, env: NodeJS.ProcessEnv): PlanningView {
  if (mode === 'tty') return live(env);
  return mode === 'plain' ? { ...SILENT, step: (text) => note(`${text}...`) } : SILENT;
}
