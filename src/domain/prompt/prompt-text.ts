// Text of files and commands on its way into a prompt: it is shown, and must not do anything there.
import { NO_NEWLINE } from '../artifact/edits-block.ts';
import { findFences } from '../artifact/fences.ts';

// Of the terminal: colours and cursor moves (CSI), titles and links (OSC), single-character ones.
const ESCAPES =
  // oxlint-disable-next-line no-control-regex
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[PX^_][^\u001B]*\u001B\\|[ -/]*[0-~])|\u009B[0-?]*[ -/]*[@-~]/g;
// oxlint-disable-next-line no-control-regex
const OTHER_CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;

/** Of a line that was written over, what was to be seen in the end. */
function lastState(line: string): string {
  const ended = line.endsWith('\r') ? line.slice(0, -1) : line;
  return ended.slice(ended.lastIndexOf('\r') + 1);
}

/** As a terminal would leave it. */
export function stripTerminal(text: string): string {
  const plain = text.replace(ESCAPES, '');
  const lines = plain.includes('\r') ? plain.split('\n').map(lastState).join('\n') : plain;
  return lines.replace(OTHER_CONTROLS, '');
}

const DIRECTIVE = /\[\[(?=\/?sim:)/gi;

/** Only the user's own words may direct the simulator: elsewhere its directives are taken apart. */
export function breakDirectives(text: string): string {
  return text.replace(DIRECTIVE, '[ [');
}

/** The last of a text, from the beginning of a line when there is one near. */
export function tailOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = text.slice(-length).toWellFormed();
  const lineEnd = tail.indexOf('\n');
  return lineEnd >= 0 && lineEnd < length / 2 ? tail.slice(lineEnd + 1) : tail;
}

/** Whole lines of the beginning and of the end, and how many are missing between them. */
export function headAndTailOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = text.slice(0, Math.floor(length / 4));
  const head = start.slice(0, start.lastIndexOf('\n') + 1);
  const tail = tailOf(text, length - head.length);
  const left = text.slice(head.length, text.length - tail.length).split('\n').length - 1;
  return `${head}[${left} lines left out]\n${tail}`;
}

/** In a fence longer than every fence in the text, so that no text can end its own quotation. */
export function quoted(text: string, info = ''): string {
  const shown = breakDirectives(text);
  const fences = findFences(shown);
  let length = 3;
  for (let fence = 0; fence < fences.count; fence++) {
    length = Math.max(length, fences.lengthOf(fence) + 1);
  }
  const isEnded = shown === '' || shown.endsWith('\n');
  const fence = '`'.repeat(length);
  return `${fence}${info}\n${shown}${isEnded ? '' : '\n'}${fence}`;
}

/** The same for a whole file, where it matters how its last line ends. */
export function quotedFile(text: string, info: string): string {
  const isEnded = text === '' || text.endsWith('\n');
  return isEnded ? quoted(text, info) : `${quoted(text, info)}\n${NO_NEWLINE}`;
}
