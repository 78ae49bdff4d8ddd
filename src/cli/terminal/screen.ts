// The lower end of a terminal that is redrawn in place. What is above it was printed for good and
// stays in the scrollback. Redrawn as one update, so that no half of a frame is ever seen.
import { textWidth } from './text-width.ts';

const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR_LINE_END = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

export interface Terminal {
  columns?: number;
  rows?: number;
  write(text: string): unknown;
}

export interface Screen {
  columns(): number;
  rows(): number;
  /** `printed` goes above what is redrawn and stays there. */
  draw(live: readonly string[], printed?: readonly string[]): void;
  /** The live lines go away. */
  clear(): void;
  /** The live lines stay as they are; the cursor comes back. */
  close(): void;
}

export function createScreen(terminal: Terminal): Screen {
  let shown: readonly string[] = [];
  let shownWidth = 0;
  let isHidden = false;

  const columns = () => Math.max(20, terminal.columns ?? 80);
  const rows = () => Math.max(4, terminal.rows ?? 24);

  /** A terminal that got narrower has broken the lines since: they take more rows than before. */
  function rowsTaken(): number {
    const width = columns();
    if (width >= shownWidth) return shown.length;
    return shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / width)), 0);
  }

  function toTop(): string {
    // Not farther than the screen reaches: what has left it cannot be redrawn.
    const up = Math.min(rowsTaken(), rows()) - 1;
    return up > 0 ? `\r\u001b[${up}A` : '\r';
  }

  function restore(): void {
    if (!isHidden) return;
    isHidden = false;
    terminal.write(SHOW_CURSOR);
  }
  // However the process ends, as long as it can still say something.
  process.once('exit', restore);

  return {
    columns,
    rows,
    draw(live, printed = []) {
      let text = BEGIN;
      if (!isHidden) text += HIDE_CURSOR;
      isHidden = true;
      text += toTop();
      // Broken lines leave rests that writing over them line by line would not meet.
      if (columns() !== shownWidth) text += CLEAR_BELOW;
      for (const line of printed) text += `${line}${CLEAR_LINE_END}\n`;
      text += live.map((line) => line + CLEAR_LINE_END).join('\n');
      text += CLEAR_BELOW + END;
      shown = live;
      shownWidth = columns();
      terminal.write(text);
    },
    clear() {
      terminal.write(BEGIN + toTop() + CLEAR_BELOW + END);
      shown = [];
      restore();
    },
    close() {
      if (shown.length > 0) terminal.write('\n');
      shown = [];
      restore();
      process.off('exit', restore);
    },
  };
}
