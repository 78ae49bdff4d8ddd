// What is shown of a file that is too long to show: its declarations without their bodies, or its
// beginning.
import { estimateTokenCount } from 'tokenx';
import { outlineOfPackage } from '../package-files.ts';
import { GO, JAVA, RUST } from './brace-languages.ts';
import { outlineOfBraces } from './braces.ts';
import { outlineOfScript } from './javascript.ts';
import { outlineOfPython } from './python.ts';

const SCRIPT = /\.[cm]?[jt]sx?$/;

type Outline = (text: string) => string[];

const BY_ENDING: ReadonlyMap<string, Outline> = new Map<string, Outline>([
  ['py', outlineOfPython],
  ['pyi', outlineOfPython],
  ['go', (text) => outlineOfBraces(text, GO)],
  ['rs', (text) => outlineOfBraces(text, RUST)],
  ['java', (text) => outlineOfBraces(text, JAVA)],
]);

function linesOf(path: string, text: string): string[] | undefined {
  if (SCRIPT.test(path)) return outlineOfScript(path, text);
  if (/(?:^|\/)package\.json$/.test(path)) return outlineOfPackage(text);
  return BY_ENDING.get(path.slice(path.lastIndexOf('.') + 1))?.(text);
}

export function outlineOf(path: string, text: string): string | undefined {
  const lines = linesOf(path, text);
  return lines === undefined || lines.length === 0 ? undefined : `${lines.join('\n')}\n`;
}

/** Whole lines from the beginning, as many as fit. */
export function beginningOf(text: string, maxTokens: number): string {
  // A first guess by length: counting the tokens of megabytes would be for nothing.
  let part = text.slice(0, maxTokens * 6);
  while (part !== '' && estimateTokenCount(part) > maxTokens) {
    part = part.slice(0, Math.floor(part.length * 0.8));
  }
  const lineEnd = part.lastIndexOf('\n');
  return part.length === text.length ? part : part.slice(0, lineEnd + 1);
}
