// A line made of styled pieces, cut to the width of the terminal.
import type { Paint, Style } from './output.ts';
import { clip, textWidth } from './text-width.ts';

export type Span = readonly [style: Style | undefined, text: string];
export type Line = readonly Span[];

export function drawLine(line: Line, width: number, paint: Paint): string {
  let left = width;
  let drawn = '';
  for (const [style, text] of line) {
    if (left <= 0) break;
    const shown = clip(text, left);
    left -= textWidth(shown);
    drawn += style === undefined ? shown : paint(style, shown);
  }
  return drawn;
}
