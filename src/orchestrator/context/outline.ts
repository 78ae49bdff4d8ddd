// What is shown of a file that is too long to show: its exported declarations without their bodies,
// or its beginning.
import { parseSync } from 'oxc-parser';
import { estimateTokenCount } from 'tokenx';

const SCRIPT = /\.[cm]?[jt]sx?$/;
const MAX_DECLARATION = 400;

/** Up to the body: the declaration, its parameters and its type. */
function headOf(declaration: string): string {
  const lines = declaration.split('\n');
  const end = lines.findIndex((line) => /\{\s*$|=>\s*$/.test(line));
  const head = lines.slice(0, end < 0 ? 3 : end + 1).join('\n');
  const text = head.length > MAX_DECLARATION ? `${head.slice(0, MAX_DECLARATION)} ...` : head;
  return head.length < declaration.length ? `${text} ...` : text;
}

export function outlineOf(path: string, text: string): string | undefined {
  if (!SCRIPT.test(path)) return undefined;
  const { staticExports } = parseSync(path, text).module;
  if (staticExports.length === 0) return undefined;
  return `${staticExports.map(({ start, end }) => headOf(text.slice(start, end))).join('\n')}\n`;
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
