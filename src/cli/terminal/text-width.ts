// How many columns a text takes on a terminal. Wrong by one, and a line breaks where the redrawing
// does not expect it: then every frame leaves a trace.
import { eastAsianWidth } from 'get-east-asian-width';

/** Combining marks, joiners and variation selectors stand on the character before them. */
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

function widthOfCharacter(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0;
  if (code < 0x300) return 1;
  if (NO_WIDTH.test(character)) return 0;
  // Summed up one by one: for what a terminal joins into one sign, too much is the safe side.
  return eastAsianWidth(code);
}

// oxlint-disable-next-line no-control-regex -- styles begin with this character
const STYLES = /\u001b\[[0-9;]*m/g;

// oxlint-disable-next-line no-control-regex -- as above, with everything else that terminals obey
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-_])/g;

/** The text without styles and other sequences for terminals. */
export function stripStyles(text: string): string {
  return text.replace(SEQUENCES, '').replace(/\r\n?/g, '\n');
}

/** Styles take no place. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text.replace(STYLES, '')) width += widthOfCharacter(character);
  return width;
}

/** At most `width` columns; what was cut off is marked. For texts without styles. */
export function clip(text: string, width: number, mark = '~'): string {
  if (width <= 0) return '';
  if (textWidth(text) <= width) return text;
  let kept = '';
  let taken = 0;
  for (const character of text) {
    const more = widthOfCharacter(character);
    if (taken + more > width - 1) break;
    kept += character;
    taken += more;
  }
  return kept + mark;
}

/** Spaces behind it up to `width` columns. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}
