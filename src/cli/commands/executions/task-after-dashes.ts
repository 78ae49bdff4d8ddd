// `exec -- list` is the task "list", not the list of executions.

const SUBCOMMANDS = new Set(['list', 'get', 'cancel', 'run']);

/** The words of a call, with the hidden subcommand that takes any task put in. */
export function taskAfterDashes(argv: readonly string[]): string[] {
  const dashes = argv.indexOf('--');
  const exec = argv.indexOf('exec');
  const isTask =
    exec >= 0 &&
    exec < dashes &&
    !argv.slice(exec, dashes).some((word) => SUBCOMMANDS.has(word)) &&
    SUBCOMMANDS.has(argv[dashes + 1] ?? '');
  return isTask ? argv.toSpliced(dashes, 0, 'run') : [...argv];
}
