// Rows in columns, within the width of the terminal.
import { clip, pad, textWidth } from './text-width.ts';

export interface Column<T> {
  head: string;
  text(row: T): string;
  isRight?: boolean;
  /** Gets what the other columns leave, and is cut there. One column may. */
  isFlexible?: boolean;
  style?(text: string, row: T): string;
}

const GAP = '  ';
const FEWEST = 8;
/** Sentences are broken for readers, wherever they end up. */
const USUAL_WIDTH = 80;

export function widthOf(stream: { columns?: number }): number {
  return Math.max(40, stream.columns ?? USUAL_WIDTH);
}

/** Only a terminal has a width: a table that is piped into a file or a program is never cut. */
export function tableWidthOf(stream: { columns?: number }): number {
  return stream.columns === undefined ? Infinity : widthOf(stream);
}

/** The lines of the table, the head first. */
export function tableOf<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  look: { width: number; paintHead?(text: string): string },
): string[] {
  const texts = rows.map((row) => columns.map((column) => column.text(row)));
  const widths = columns.map(({ head }, at) =>
    Math.max(textWidth(head), ...texts.map((line) => textWidth(line[at]!))),
  );
  const flexible = columns.findIndex(({ isFlexible }) => isFlexible);
  if (flexible >= 0) {
    const others = widths.reduce((sum, width, at) => (at === flexible ? sum : sum + width), 0);
    const left = look.width - others - GAP.length * (columns.length - 1);
    widths[flexible] = Math.min(widths[flexible]!, Math.max(FEWEST, left));
  }
  const cell = (text: string, at: number) => {
    const width = widths[at]!;
    const shown = clip(text, width);
    if (columns[at]!.isRight) return ' '.repeat(width - textWidth(shown)) + shown;
    return at === columns.length - 1 ? shown : pad(shown, width);
  };
  const head = columns.map((column, at) => cell(column.head, at)).join(GAP);
  const lines = rows.map((row, index) =>
    columns
      .map((column, at) => {
        const text = cell(texts[index]![at]!, at);
        return column.style === undefined ? text : column.style(text, row);
      })
      .join(GAP),
  );
  return [look.paintHead === undefined ? head : look.paintHead(head), ...lines];
}
