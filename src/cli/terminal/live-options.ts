// What every live view needs of its terminal.
import type { Glyphs } from './glyphs.ts';
import type { Paint } from './output.ts';
import type { Terminal } from './screen.ts';

/** Ten frames a second are enough for eyes, and cheap over a slow line. */
export const FRAME_MS = 100;

export interface LiveOptions {
  terminal: Terminal & {
    on(event: 'resize', listener: () => void): unknown;
    off(event: 'resize', listener: () => void): unknown;
  };
  glyphs: Glyphs;
  paint: Paint;
  now(): number;
  /** At the right of the last line: what keys do. */
  keys: string;
}
