// What the scripts for bash and zsh have in common.
import type { CommandEntry, ValueSource } from './command-table.ts';

/** The words of a command as one: `exec/list`. */
export const keyOf = (path: readonly string[]): string => path.join('/');

export function keysOf(table: readonly CommandEntry[]): string[] {
  return table.flatMap(({ path }) => (path.length === 0 ? [] : [keyOf(path)]));
}

/** For each command its flags that take a value, between spaces. */
export function valueFlags(table: readonly CommandEntry[]): [key: string, flags: string][] {
  return table.map(({ path, flags }) => {
    const names = flags.flatMap((flag) => (flag.values === undefined ? [] : flag.names));
    return [keyOf(path), ` ${names.join(' ')} `];
  });
}

/** Branches of a `case` over command and flag, with what gives the values of the flag. */
export function valueCases(
  table: readonly CommandEntry[],
  repliesOf: (values: ValueSource) => string,
): string {
  const lines = table.flatMap(({ path, flags }) =>
    flags.flatMap(({ names, values }) => {
      if (values === undefined) return [];
      const cases = names.map((name) => quote(`${keyOf(path)} ${name}`)).join('|');
      return [`    ${cases}) ${repliesOf(values)}; return ;;`];
    }),
  );
  return lines.join('\n');
}

/** One word, whatever is in it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The first line of a description, short enough to stand beside a name. */
export function brief(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/\s+/g, ' ').slice(0, 70);
}
