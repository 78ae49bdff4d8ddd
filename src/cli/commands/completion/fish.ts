// Completion for fish, with descriptions.
import type { CommandEntry, FlagEntry, ValueSource } from './command-table.ts';
import { brief, keyOf, keysOf } from './shell-text.ts';

/** In fish only these two mean something between single quotes. */
const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function valueFlags(values: ValueSource): string {
  switch (values.kind) {
    case 'none':
      return ' -x';
    case 'words':
      return ` -x -a ${quote(values.words.join(' '))}`;
    case 'files':
      return ' -r -F';
    case 'folders':
      return ` -x -a '(__fish_complete_directories)'`;
    case 'asked':
      return ` -x -a '(__millrace_asked ${values.what})'`;
  }
}

function argumentFlags(values: ValueSource): string | undefined {
  if (values.kind === 'none') return undefined;
  return values.kind === 'files' ? ' -F' : valueFlags(values).replace(' -x', '');
}

function flagLine(flag: FlagEntry, at: string): string {
  const names = flag.names.map((name) =>
    name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`,
  );
  const values = flag.values === undefined ? '' : valueFlags(flag.values);
  return `complete -c millrace -n ${at}${names.join('')}${values} -d ${quote(brief(flag.summary))}`;
}

export function fishCompletion(table: readonly CommandEntry[]): string {
  const lines = table.flatMap(({ path, commands, flags, values }) => {
    const at = quote(`__millrace_at ${keyOf(path) === '' ? '/' : keyOf(path)}`);
    const rest = argumentFlags(values);
    return [
      ...commands.map(
        ({ name, summary }) =>
          `complete -c millrace -n ${at} -a ${quote(name)} -d ${quote(brief(summary))}`,
      ),
      ...flags.map((flag) => flagLine(flag, at)),
      ...(rest === undefined ? [] : [`complete -c millrace -n ${at}${rest}`]),
    ];
  });
  return `# fish completion for millrace. In config.fish: millrace completion fish | source

function __millrace_path
    set -l path ''
    for word in (commandline -opc)[2..]
        set -l next (string trim -l -c / -- "$path/$word")
        if contains -- $next ${keysOf(table).map(quote).join(' ')}
            set path $next
        end
    end
    test -n "$path"; and echo $path; or echo /
end
function __millrace_at
    test (__millrace_path) = $argv[1]
end
function __millrace_asked
    set -l words (commandline -opc)
    $words[1] __complete $argv[1] 2>/dev/null
end
complete -c millrace -f
${lines.join('\n')}
`;
}
