// JSON of an artifact in other words than ours. It is put into ours, and read as if it had been written
// so: that reader reports whatever is still wrong.

type Fields = Record<string, unknown>;

const LISTS = ['operations', 'files', 'changes', 'edits'];
const PATHS = ['path', 'file', 'file_path', 'filePath', 'filename'];
const TYPES = ['type', 'op', 'action', 'kind', 'command'];
const CONTENTS = ['content', 'file_text'];
const PAIR_LISTS = ['edits', 'changes'];
const PAIRS: readonly (readonly [string, string])[] = [
  ['oldText', 'newText'],
  ['search', 'replace'],
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['find', 'replace'],
  ['before', 'after'],
  ['old', 'new'],
];
const KINDS = new Map([
  ['add', 'create'],
  ['write', 'create'],
  ['update', 'edit'],
  ['modify', 'edit'],
  ['str_replace', 'edit'],
  ['remove', 'delete'],
  ['deleted', 'delete'],
]);

/** In our words, as far as it is clear; undefined when it is nothing like an artifact. */
export function toOurWords(value: unknown): Fields | undefined {
  if (Array.isArray(value)) return value.length > 0 ? listed(value, {}) : undefined;
  if (!isFields(value)) return undefined;
  const name = LISTS.find((each) => Array.isArray(value[each]));
  const isOne = PATHS.some((each) => typeof value[each] === 'string');
  if (isOne && (name === undefined || name === 'edits' || name === 'changes')) {
    return listed([value], {});
  }
  if (name !== undefined) return listed(value[name] as unknown[], value);
  const map = ['files', 'changes'].map((each) => value[each]).find(isFields);
  if (map === undefined || !Object.values(map).every((text) => typeof text === 'string'))
    return undefined;
  const files = Object.entries(map).map(([path, content]) => ({ path, content }));
  return files.length > 0 ? listed(files, value) : undefined;
}

/** Whether it says what to do with at least one file. */
export function holdsChanges(value: Fields): boolean {
  const operations = value['operations'] as unknown[];
  return operations.some(
    (each) =>
      isFields(each) &&
      typeof each['path'] === 'string' &&
      (typeof each['content'] === 'string' ||
        Array.isArray(each['edits']) ||
        each['type'] === 'delete'),
  );
}

function listed(list: readonly unknown[], around: Fields): Fields {
  const operations = list.map((each) => (isFields(each) ? operationOf(each) : each));
  const { status, summary } = around;
  return {
    ...(status === undefined ? {} : { status }),
    ...(summary === undefined ? {} : { summary }),
    operations,
  };
}

function operationOf(raw: Fields): Fields {
  const path = firstOf(raw, PATHS);
  const content = firstOf(raw, CONTENTS);
  const pairs = PAIR_LISTS.map((name) => raw[name]).find((each) => Array.isArray(each));
  const own = pairOf(raw);
  const edits = pairs === undefined ? own && [own] : pairs.map((each: unknown) => pairIn(each));
  const given = firstOf(raw, TYPES);
  const word = typeof given === 'string' ? given.toLowerCase() : given;
  const type = (typeof word === 'string' ? KINDS.get(word) : undefined) ?? word ?? 'edit';
  const base = raw['baseSha256'];
  return {
    type,
    ...(path === undefined
      ? {}
      : { path: typeof path === 'string' ? path.replace(/^\.\//, '') : path }),
    ...(content === undefined || content === null ? {} : { content }),
    ...(edits === undefined ? {} : { edits }),
    ...(base === undefined ? {} : { baseSha256: base }),
  };
}

function pairIn(raw: unknown): unknown {
  return isFields(raw) ? (pairOf(raw) ?? raw) : raw;
}

function pairOf(raw: Fields): Fields | undefined {
  for (const [before, after] of PAIRS) {
    if (typeof raw[before] !== 'string') continue;
    const all = raw['replaceAll'] ?? raw['replace_all'];
    return {
      oldText: raw[before],
      newText: raw[after],
      ...(all === undefined ? {} : { replaceAll: all }),
      ...(raw['wholeLines'] === true && { wholeLines: true }),
    };
  }
  return undefined;
}

function firstOf(raw: Fields, names: readonly string[]): unknown {
  const name = names.find((each) => raw[each] !== undefined && raw[each] !== null);
  return name === undefined ? undefined : raw[name];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON as people write it: with comments, and commas after the last entry. */
export function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    try {
      return JSON.parse(withoutExtras(text));
    } catch {
      throw error;
    }
  }
}

function withoutExtras(text: string): string {
  const parts: string[] = [];
  let from = 0;
  let comma = -1;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') {
      at = endOfString(text, at);
      comma = -1;
    } else if (character === '/' && (text[at + 1] === '/' || text[at + 1] === '*')) {
      const isLine = text[at + 1] === '/';
      const end = text.indexOf(isLine ? '\n' : '*/', at + 2);
      parts.push(text.slice(from, at));
      from = end < 0 ? text.length : isLine ? end : end + 2;
      at = from - 1;
    } else if (character === ',') {
      parts.push(text.slice(from, at));
      from = at;
      comma = parts.length;
      parts.push('');
    } else if (character === '}' || character === ']') {
      if (comma >= 0) {
        // The comma is the first character after the mark that was left for it.
        const rest = parts.splice(comma + 1).join('') + text.slice(from, at);
        parts.push(rest.replace(',', ''));
        from = at;
      }
      comma = -1;
    } else if (character.trim() !== '') comma = -1;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
