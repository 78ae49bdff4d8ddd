// `[[sim:call NAME {json}]]`: names of tools, each with its arguments. These are JSON, which may hold the two
// brackets that end any other directive.
import type { ScriptedCall } from './script-model.ts';

/** No directive is longer; what begins one and never ends costs no more than this to find out. */
const MAX_LENGTH = 64 * 1024;

const START = /calls?\s/y;
const NAME = /\s*([\w.:/-]{1,128})\s*/y;

/** Where a directive that calls tools is closed, or undefined for any other, and for one that is not whole. */
export function endOfCalls(prompt: string, start: number): number | undefined {
  START.lastIndex = start;
  if (!START.test(prompt)) return undefined;
  return scanJson(prompt, start, (at, depth) => depth === 0 && prompt.startsWith(']]', at));
}

/** The calls in their order, or what is wrong with them. */
export function readCalls(text: string): ScriptedCall[] | string {
  const calls: ScriptedCall[] = [];
  let at = 0;
  do {
    NAME.lastIndex = at;
    const name = NAME.exec(text)?.[1];
    if (name === undefined) return 'needs the name of a tool, such as read_file';
    const start = NAME.lastIndex;
    at = start;
    if (text[start] === '{') {
      const end = scanJson(text, start, (to, depth) => depth === 0 && to > start);
      at = end ?? text.length;
    }
    const given = parseObject(text.slice(start, at) || '{}');
    if (given === undefined) return `needs arguments for ${name} as a JSON object`;
    calls.push({ name, arguments: given });
  } while (text.slice(at).trim() !== '');
  return calls;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The first place outside of strings that will do; the depth is that of what is open before it. */
function scanJson(
  text: string,
  start: number,
  isEnd: (at: number, depth: number) => boolean,
): number | undefined {
  const last = Math.min(text.length, start + MAX_LENGTH);
  let depth = 0;
  let isString = false;
  for (let at = start; at < last; at++) {
    const character = text[at];
    if (isString) {
      if (character === '\\') at++;
      else if (character === '"') isString = false;
      continue;
    }
    if (isEnd(at, depth)) return at;
    if (character === '"') isString = true;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
  }
  return depth === 0 && isEnd(last, 0) ? last : undefined;
}
