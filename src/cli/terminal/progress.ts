// How progress is shown.
import type { CommandOptions } from '../command.ts';

export const PROGRESS_MODES = ['auto', 'tty', 'plain', 'json', 'quiet'] as const;
export type Progress = Exclude<(typeof PROGRESS_MODES)[number], 'auto'>;

/** `stream` is where it goes: one that is redrawn in place needs a terminal that can do it. */
export function progressOf(
  options: CommandOptions,
  stream: { isTTY?: boolean },
  env: NodeJS.ProcessEnv,
): Progress {
  const asked = options['progress'] as (typeof PROGRESS_MODES)[number] | undefined;
  if (asked !== undefined && asked !== 'auto') return asked;
  if (options['quiet']) return 'quiet';
  if (options['json']) return 'json';
  const canRedraw = stream.isTTY === true && !env['CI'] && env['TERM'] !== 'dumb';
  return canRedraw ? 'tty' : 'plain';
}
