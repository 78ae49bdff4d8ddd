// Results go to standard output, everything else to standard error.
import { styleText } from 'node:util';

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

type Style = Parameters<typeof styleText>[0];

/** Styled only where standard output is a terminal that wants colour. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}
