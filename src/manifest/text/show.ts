// Pieces of the author's text within our messages: quoted, short, and harmless in a terminal.
import type { ValuePath } from '../problem.ts';
import type { Value } from './values.ts';

const MAX_SHOWN = 60;
const PLAIN_KEY = /^[A-Za-z0-9_][A-Za-z0-9_:-]*$/;

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

/** JSON leaves some invisible characters as they are; a terminal might obey them. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text)).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function showPath(path: ValuePath): string {
  let shown = '';
  for (const step of path) {
    if (typeof step === 'number') shown += `[${step}]`;
    else if (!PLAIN_KEY.test(step) || step.length > MAX_SHOWN) shown += `[${quote(step)}]`;
    else shown += shown === '' ? step : `.${step}`;
  }
  return shown;
}

/** What a value is, for "found ...". */
export function describeValue(value: Value): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (value instanceof Map) return 'a mapping';
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text ${quote(value)}`;
  return typeof value === 'number' ? `the number ${value}` : String(value);
}

export function listOf(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
