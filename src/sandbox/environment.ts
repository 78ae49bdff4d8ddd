// The environment of a sandboxed process, by allow list. It is also the environment of the programs that
// build the sandbox, which run outside of it: what makes those load code is never let through.

/** Of our own environment: about the language and the terminal, never credentials. */
const INHERITED = new Set([
  'PATH',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TERM',
  'COLORTERM',
  'CI',
  'NO_COLOR',
  'FORCE_COLOR',
]);

const LOADS_CODE = /^(?:LD_|GLIBC_|GCONV_|MALLOC_|BASH_|SHELLOPTS$|ENV$|IFS$|PS4$|LOCPATH$)/;

/** What of the given environment a sandbox inherits, and what the caller adds by name. */
export function sandboxEnvironment(
  env: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (INHERITED.has(name) || name.startsWith('LC_'))) {
      result[name] = value;
    }
  }
  for (const [name, value] of Object.entries(added)) {
    if (!LOADS_CODE.test(name)) result[name] = value;
  }
  return result;
}
