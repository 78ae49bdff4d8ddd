// The text of a config file with one entry set or removed. What was asked for is compared with what
// the result says: a file that we would spoil is left alone.
import { isDeepStrictEqual } from 'node:util';
import { applySplices } from '../../../../manifest/edit/splice.ts';
import type { ConfigFormat, Entry, EntryPath } from './config-edit.ts';
import { ConfigSyntaxError } from './config-edit.ts';

export type EntryChange =
  | { kind: 'unchanged' }
  | { kind: 'added' | 'updated' | 'removed'; text: string };

const BYTE_ORDER_MARK = '\ufeff';

function withoutMark(text: string): [mark: string, source: string] {
  const hasMark = text.startsWith(BYTE_ORDER_MARK);
  return hasMark ? [BYTE_ORDER_MARK, text.slice(1)] : ['', text];
}

/** `entry` undefined removes it. */
export function changeEntry(
  text: string,
  format: ConfigFormat,
  path: EntryPath,
  entry: Entry | undefined,
): EntryChange {
  const [mark, source] = withoutMark(text);
  const before = format.find(source, path);
  if (isDeepStrictEqual(before, entry)) return { kind: 'unchanged' };
  const edits = entry ? format.set(source, path, entry) : format.remove(source, path);
  const after = applySplices(source, edits);
  const isRight =
    isDeepStrictEqual(format.find(after, path), entry) &&
    isDeepStrictEqual(othersIn(after, format, path), othersIn(source, format, path));
  if (!isRight) {
    const problem = 'this file is written in a way that cannot be edited safely';
    throw new ConfigSyntaxError(problem, { line: 1, column: 1 });
  }
  const kind = entry === undefined ? 'removed' : before === undefined ? 'added' : 'updated';
  return { kind, text: mark + after };
}

/** Everything but the entry. */
function othersIn(source: string, format: ConfigFormat, [container, name]: EntryPath) {
  const { [container]: servers, ...all } = format.valueOf(source);
  const { [name]: _, ...others } = Object(servers) as Record<string, unknown>;
  return { all, others };
}
