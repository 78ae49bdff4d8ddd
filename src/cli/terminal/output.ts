// Results go to standard output, everything else to standard error.
import { styleText } from 'node:util';
import { wantsColor } from './color.ts';

/** Of the process, like its streams: set from its flags. */
const state = { quiet: false };

export function beQuiet(isQuiet: boolean): void {
  state.quiet = isQuiet;
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Something worth knowing that is not the result; --quiet leaves it out. */
export function note(text: string): void {
  if (!state.quiet) complain(text);
}

/** What went wrong: shown in any case. */
export function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

export type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

function paintFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) =>
    wantsColor(process.env, stream) ? styleText(style, text, { validateStream: false }) : text;
}

/** For `print`: styled only where standard output wants colour. */
export const styled = paintFor(process.stdout);
/** For `note` and `complain`. */
export const styledNote = paintFor(process.stderr);
