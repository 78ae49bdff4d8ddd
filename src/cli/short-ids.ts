// Ids as people type them: the beginning is enough, with or without the type in front
// (`exec_01kd3mz8v4` or `01kd3mz8v4`). Ids begin with the time they were made at, so ten
// characters name a millisecond.
import { CommandError } from './command-error.ts';

const FEWEST = 10;
const WHOLE = 26;
const IS_PART = /^[0-9a-hjkmnp-tv-z]{1,26}$/;

/** For each id the shortest beginning that no other one in the list has. */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const short = new Map<string, string>();
  for (const id of ids) {
    const from = id.lastIndexOf('_') + 1;
    // An id that a client made up itself says nothing in its first ten characters.
    if (!IS_PART.test(id.slice(from)) || id.length - from !== WHOLE) {
      short.set(id, id);
      continue;
    }
    let length = FEWEST;
    const isShared = () => {
      const start = id.slice(0, from + length);
      return ids.some((other) => other !== id && other.startsWith(start));
    };
    while (length < WHOLE && isShared()) length += 1;
    short.set(id, id.slice(0, from + length));
  }
  return short;
}

export interface IdSource {
  /** What the ids begin with, such as `exec`. */
  type: string;
  /** How errors call it, such as `execution`. */
  noun: string;
  /** The command that lists them. */
  listCommand: string;
  /** Whole ids that begin with this (type included), newest first; more than these are of no use. */
  find(start: string): Promise<readonly string[]>;
}

/** The whole id, or undefined when this cannot be one that is shortened. */
function startOf(asked: string, type: string): string | undefined {
  const prefix = `${type}_`;
  const rest = (asked.startsWith(prefix) ? asked.slice(prefix.length) : asked).toLowerCase();
  return IS_PART.test(rest) ? prefix + rest : undefined;
}

/** The id that begins so. Whole ids are not looked up: the server says whether there is one. */
export async function wholeId(asked: string, source: IdSource): Promise<string> {
  const start = startOf(asked, source.type);
  if (start === undefined) return asked;
  if (start.length === source.type.length + 1 + WHOLE) return start;
  const found = await source.find(start);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    throw new CommandError({
      code: 'NOT_FOUND',
      message: `No ${source.noun} begins with "${asked}".`,
      hint: `List them with: ${source.listCommand}`,
      exit: 1,
    });
  }
  throw new CommandError({
    code: 'AMBIGUOUS_ID',
    message: `"${asked}" could be more than one ${source.noun}:`,
    hint: [...found.slice(0, 10).map((id) => `  ${id}`), 'Type more of the id.'].join('\n'),
  });
}
