// What an unquoted word means: the core schema of YAML 1.2, where `yes` and dates are texts.

export type Scalar = string | number | boolean | null;

const NULLS = new Set(['', '~', 'null', 'Null', 'NULL']);
const TRUES = new Set(['true', 'True', 'TRUE']);
const FALSES = new Set(['false', 'False', 'FALSE']);
const INTEGER = /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const INFINITE = /^[-+]?\.(?:inf|Inf|INF)$/;
const NOT_A_NUMBER = new Set(['.nan', '.NaN', '.NAN']);

function readNumber(text: string): number | undefined {
  if (INTEGER.test(text)) return text[0] === '0' ? Number(text) : Number.parseInt(text, 10);
  if (FLOAT.test(text)) return Number.parseFloat(text);
  if (INFINITE.test(text)) return text[0] === '-' ? -Infinity : Infinity;
  return NOT_A_NUMBER.has(text) ? Number.NaN : undefined;
}

/** Digits, signs and the point: what a number can begin with. */
function mayBeNumber(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 43 || code === 45 || code === 46;
}

export function resolvePlain(text: string): Scalar {
  if (text.length <= 5) {
    if (NULLS.has(text)) return null;
    if (TRUES.has(text)) return true;
    if (FALSES.has(text)) return false;
  }
  if (!mayBeNumber(text.charCodeAt(0))) return text;
  return readNumber(text) ?? text;
}

const CORE = 'tag:yaml.org,2002:';
const CORE_NAMES = new Map([
  ['!', 'str'],
  ...['str', 'int', 'float', 'bool', 'null', 'seq', 'map'].flatMap((name) => [
    [`!!${name}`, name] as const,
    [`!<${CORE}${name}>`, name] as const,
  ]),
] as [string, string][]);

/** The short name of a tag of the core schema; undefined for every other tag. */
export function coreTag(tag: string): string | undefined {
  return CORE_NAMES.get(tag);
}

/** Undefined when the text is not of the tag's type. */
export function resolveTagged(text: string, tag: string): Scalar | undefined {
  const value = resolvePlain(text);
  switch (tag) {
    case 'str':
      return text;
    case 'int':
      return INTEGER.test(text) ? value : undefined;
    case 'float':
      return typeof value === 'number' ? value : undefined;
    case 'bool':
      return typeof value === 'boolean' ? value : undefined;
    case 'null':
      return value === null ? null : undefined;
    default:
      return undefined;
  }
}
