// What every live view needs of its terminal.
import { glyphsFor } from './glyphs.ts';
import type { Glyphs } from './glyphs.ts';
import { styledNote } from './output.ts';
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

/** On standard error: standard output is for results. */
export function liveOptionsOf(keys: string, env: NodeJS.ProcessEnv): LiveOptions {
  return {
    terminal: process.stderr,
    glyphs: glyphsFor(env),
    paint: styledNote,
    now: () => Date.now(),
    keys,
  };
}
