// Figures and how they are shown.

export interface Figure {
  id: string;
  what: string;
  value: number;
  unit: string;
  /** Measured in the same run, beside it. */
  beside?: { what: string; value: number };
  /** Share of the CPU time wanted here that the host gave to others while this was measured. */
  stolen?: number;
  /** CPU time of a fixed piece of work before and after, in ms: how fast the cores were. */
  pace?: number;
  goal?: { atMost?: number; atLeast?: number; ratioAtLeast?: number; ratioAtMost?: number };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function ratioOf(figure: Figure): number | undefined {
  return figure.beside && figure.value / figure.beside.value;
}

export function isReached(figure: Figure): boolean | undefined {
  const { goal, value } = figure;
  if (goal === undefined) return undefined;
  const ratio = ratioOf(figure) ?? Number.NaN;
  return (
    (goal.atMost === undefined || value <= goal.atMost) &&
    (goal.atLeast === undefined || value >= goal.atLeast) &&
    (goal.ratioAtLeast === undefined || ratio >= goal.ratioAtLeast) &&
    (goal.ratioAtMost === undefined || ratio <= goal.ratioAtMost)
  );
}

function number(value: number): string {
  if (Number.isNaN(value)) return '-';
  return value >= 100
    ? Math.round(value).toLocaleString('en-US')
    : value.toFixed(value < 10 ? 2 : 1);
}

function goalText({ goal, unit }: Figure): string {
  if (goal === undefined) return '';
  if (goal.atMost !== undefined) return `<= ${number(goal.atMost)} ${unit}`;
  if (goal.atLeast !== undefined) return `>= ${number(goal.atLeast)} ${unit}`;
  if (goal.ratioAtLeast !== undefined) return `ratio >= ${goal.ratioAtLeast}`;
  return `ratio <= ${goal.ratioAtMost}`;
}

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const ratio = ratioOf(figure);
    const reached = isReached(figure);
    return [
      figure.id,
      figure.what,
      `${number(figure.value)} ${figure.unit}`,
      figure.beside ? `${number(figure.beside.value)} (${figure.beside.what})` : '',
      ratio === undefined ? '' : ratio.toFixed(2),
      goalText(figure),
      reached === undefined ? '' : reached ? 'yes' : 'NO',
      figure.stolen === undefined ? '' : `${Math.round(figure.stolen * 100)} %`,
      figure.pace === undefined ? '' : `${Math.round(figure.pace)} ms`,
    ];
  });
  const head = [
    'id',
    'what',
    'figure',
    'beside it',
    'ratio',
    'goal',
    'reached',
    'stolen CPU',
    'pace',
  ];
  return textTable(head, rows);
}

export function textTable(head: readonly string[], rows: readonly string[][]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
