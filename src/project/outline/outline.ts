// What is shown of a file that is too long to show: its declarations without their bodies.
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
