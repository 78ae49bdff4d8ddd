// A line of a diff with the colours of its language. They stand between the characters of the line and change none of them.
import { styleText } from 'node:util';
import { harmless } from './diff-colours.ts';

/** Where a piece of a line begins and ends, and the number of its colour. */
export interface Piece {
  from: number;
  to: number;
  look: number;
}

interface Look {
  on: string;
  off: string;
}

type Styles = Parameters<typeof styleText>[0];

/** The codes around a text, whatever the streams of this process want. */
function lookOf(styles: Styles): Look {
  const [on = '', off = ''] = styleText(styles, '|', { validateStream: false }).split('|');
  return { on, off };
}

const ofPalette = (number: number, extra = ''): Look => ({
  on: `\u001b[38;5;${number}${extra}m`,
  off: extra === '' ? '\u001b[39m' : '\u001b[39;23m',
});

/**
 * Words of the language; texts; comments; numbers and names. The background of the terminal is not known: of 16 colours those
 * that can be read on black and on white, of 256 those between.
 */
const LOOKS = {
  few: [lookOf('magenta'), lookOf('cyan'), lookOf('dim'), lookOf('bold')],
  many: [ofPalette(134), ofPalette(30), ofPalette(244, ';3'), ofPalette(130)],
} as const;

const SIGNS: Readonly<Record<string, Look>> = {
  '+': lookOf(['green', 'bold']),
  '-': lookOf(['red', 'bold']),
};
const PLAIN: Readonly<Record<string, Look>> = { '+': lookOf('green'), '-': lookOf('red') };

export type Depth = keyof typeof LOOKS;

/** As terminals say it themselves; those that say nothing have 16. */
export function depthOf({ TERM = '', COLORTERM = '' }: NodeJS.ProcessEnv): Depth {
  const isMany = /256|direct|kitty|alacritty|ghostty|wezterm/.test(TERM);
  return isMany || /^(?:truecolor|24bit)$/.test(COLORTERM) ? 'many' : 'few';
}

const isWithinCharacter = (text: string, at: number) => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000;
};

const wrap = (look: Look | undefined, text: string) =>
  text === '' || look === undefined ? text : `${look.on}${text}${look.off}`;

/** `line` with its sign, the pieces counted without it. */
export function colourLine(line: string, pieces: readonly Piece[], depth: Depth): string {
  const sign = line.slice(0, 1);
  const text = line.slice(1);
  const plain = PLAIN[sign];
  const shown = [wrap(SIGNS[sign], sign)];
  let at = 0;
  for (const { from, to, look } of pieces) {
    // Half a character would be another one.
    if (from < at || to > text.length || isWithinCharacter(text, from)) continue;
    if (isWithinCharacter(text, to)) continue;
    shown.push(wrap(plain, harmless(text.slice(at, from))));
    shown.push(wrap(LOOKS[depth][look], harmless(text.slice(from, to))));
    at = to;
  }
  shown.push(wrap(plain, harmless(text.slice(at))));
  return shown.join('');
}
