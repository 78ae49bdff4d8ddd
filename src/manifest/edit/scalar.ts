// Values as YAML text that every reader reads back exactly: plain where no parser could take it
// for anything else, in double quotes otherwise.

const PLAIN = /^[A-Za-z][\w./-]*(?: [\w./-]+)*$/;
const OTHER_MEANING = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
// Line breaks of older YAML versions, and what is not printable: raw, a reader may refuse or fold it.
const RAW_IS_UNSAFE = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;
const MAX_PLAIN = 120;

export type Quoting = 'when-needed' | 'always';

function quoted(value: string): string {
  return JSON.stringify(value).replace(
    RAW_IS_UNSAFE,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function writeText(value: string, quoting: Quoting): string {
  const isPlain = value.length <= MAX_PLAIN && PLAIN.test(value) && !OTHER_MEANING.test(value);
  return isPlain && quoting === 'when-needed' ? value : quoted(value);
}

export function writeScalar(value: string | number | boolean, quoting: Quoting): string {
  return typeof value === 'string' ? writeText(value, quoting) : String(value);
}

export function writeList(values: readonly string[], quoting: Quoting): string {
  return `[${values.map((value) => writeText(value, quoting)).join(', ')}]`;
}

/**
 * A long text as a literal block, which people can read; undefined for texts that a block cannot
 * hold exactly. `padding` is that of its lines.
 */
export function writeBlock(value: string, padding: string, lineBreak: string): string | undefined {
  const isSafe = /^[^\s#][\t\n\u0020-\u007E\u00A0-\u2027\u202A-\uD7FF\uE000-\uFEFE]*$/.test(value);
  if (!isSafe || !value.includes('\n')) return undefined;
  if (value.endsWith('\n\n') || /[ \t]$/m.test(value)) return undefined;
  const body = value.endsWith('\n') ? value.slice(0, -1) : value;
  const lines = body.split('\n').map((line) => (line === '' ? '' : padding + line));
  return [value.endsWith('\n') ? '|' : '|-', ...lines].join(lineBreak);
}
