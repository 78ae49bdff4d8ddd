// The file in which an agent keeps the login of a person's subscription.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

export type LoginFields = Readonly<Record<string, unknown>>;

export interface LoginText {
  text: string;
  fields: LoginFields;
}

const MOST_BYTES = 256 * 1024;

const isObject = (value: unknown): value is LoginFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined for what is no file, too large, or not an object of JSON. A link is not followed. */
export function readLogin(path: string): LoginText | undefined {
  let open: number | undefined;
  try {
    // A pipe in its place would have us wait.
    open = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(open);
    if (!stats.isFile() || stats.size > MOST_BYTES) return undefined;
    const text = readFileSync(open, 'utf8');
    const fields: unknown = JSON.parse(text);
    return isObject(fields) ? { text, fields } : undefined;
  } catch {
    return undefined;
  } finally {
    if (open !== undefined) closeSync(open);
  }
}

/** An agent may have put any text there: nothing but what a refresh changes may differ. */
const REFRESHED = /token|expir|refresh|scope|tier|type/i;

export function isRefreshOf(next: unknown, before: unknown, name = ''): boolean {
  if (isObject(before) && isObject(next)) {
    const added = Object.keys(next).filter((each) => !Object.hasOwn(before, each));
    return (
      added.every((each) => REFRESHED.test(each) && typeof next[each] !== 'object') &&
      Object.keys(before).every(
        (each) => Object.hasOwn(next, each) && isRefreshOf(next[each], before[each], each),
      )
    );
  }
  if (JSON.stringify(next) === JSON.stringify(before)) return true;
  if (!REFRESHED.test(name)) return false;
  const isList = (value: unknown) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (isList(before)) return isList(next);
  return typeof next === typeof before && typeof next !== 'object';
}
