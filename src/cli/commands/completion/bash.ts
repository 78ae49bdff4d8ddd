// Completion for bash. The words before the cursor are followed down the commands; what is in the
// tables below comes from the program.
import type { CommandEntry, ValueSource } from './command-table.ts';
import { keyOf, keysOf, quote, valueCases, valueFlags } from './shell-text.ts';

function repliesOf(values: ValueSource): string {
  switch (values.kind) {
    case 'none':
      return ':';
    case 'words':
      return `_millrace_words ${quote(values.words.join(' '))}`;
    case 'files':
      return `_millrace_files -f`;
    case 'folders':
      return `_millrace_files -d`;
    case 'asked':
      return `_millrace_asked ${values.what}`;
  }
}

export function bashCompletion(table: readonly CommandEntry[]): string {
  const valued = valueFlags(table).map(
    ([key, flags]) => `    ${quote(key)}) echo ${quote(flags)} ;;`,
  );
  const own = table.map(({ path, commands, flags, values }) => {
    const names = commands.map(({ name }) => name).join(' ');
    const all = flags.flatMap((flag) => flag.names).join(' ');
    const rest = values.kind === 'none' ? '' : `; ${repliesOf(values)}`;
    return [
      `    ${quote(keyOf(path))})`,
      `      if [[ $cur == -* ]]; then _millrace_words ${quote(all)}`,
      `      else _millrace_words ${quote(names)}${rest}; fi ;;`,
    ].join('\n');
  });
  return `# bash completion for millrace. In ~/.bashrc: source <(millrace completion bash)

_millrace_words() { COMPREPLY+=($(compgen -W "$1" -- "$cur")); }
_millrace_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen "$1" -- "$cur"))
}
_millrace_asked() {
  _millrace_words "$("\${COMP_WORDS[0]}" __complete "$1" "\${folder[@]}" 2>/dev/null)"
}
_millrace_value_flags() {
  case "$1" in
${valued.join('\n')}
  esac
}

_millrace() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local path="" word="" before="" i
  local -a folder=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$before" in -C | --dir) folder=(-C "$word") ;; esac
    # The value of a flag is not a command.
    if [[ -n $before ]]; then before=""; continue; fi
    if [[ $word == -* ]]; then
      [[ $(_millrace_value_flags "$path") == *" $word "* ]] && before="$word"
      continue
    fi
    case "\${path:+$path/}$word" in
    ${keysOf(table).map(quote).join(' | ')}) path="\${path:+$path/}$word" ;;
    esac
  done
  case "$path $prev" in
${valueCases(table, repliesOf)}
  esac
  case "$path" in
${own.join('\n')}
  esac
}
complete -F _millrace millrace
`;
}
