// Completion for zsh, with descriptions.
import type { CommandEntry, ValueSource } from './command-table.ts';
import { brief, keyOf, keysOf, quote, valueCases, valueFlags } from './shell-text.ts';

const described = (name: string, summary: string) =>
  quote(`${name.replaceAll(':', '\\:')}:${brief(summary)}`);

function repliesOf(values: ValueSource): string {
  switch (values.kind) {
    case 'none':
      return '_message value';
    case 'words':
      return `compadd -- ${values.words.map(quote).join(' ')}`;
    case 'files':
      return '_files';
    case 'folders':
      return '_files -/';
    case 'asked':
      return `compadd -- \${(f)"$("\${words[1]}" __complete ${values.what} "\${folder[@]}" 2>/dev/null)"}`;
  }
}

export function zshCompletion(table: readonly CommandEntry[]): string {
  const valued = valueFlags(table).map(
    ([key, flags]) => `    ${quote(key)}) valued=${quote(flags)} ;;`,
  );
  const own = table.map(({ path, commands, flags, values }) => {
    const names = commands.map(({ name, summary }) => described(name, summary)).join(' ');
    const all = flags.flatMap((flag) => flag.names.map((name) => described(name, flag.summary)));
    const rest = values.kind === 'none' ? '' : `; ${repliesOf(values)}`;
    return [
      `    ${quote(keyOf(path))})`,
      `      entries=(${names}); flags=(${all.join(' ')})`,
      `      if [[ $cur == -* ]]; then _describe -o flag flags`,
      `      else (( \${#entries} )) && _describe command entries${rest}; fi ;;`,
    ].join('\n');
  });
  return `#compdef millrace
# zsh completion for millrace. In ~/.zshrc, after compinit: source <(millrace completion zsh)

_millrace() {
  local cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}" at="" word="" before="" valued="" i
  local -a folder entries flags
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    case "$before" in (-C|--dir) folder=(-C "$word") ;; esac
    # The value of a flag is not a command.
    if [[ -n $before ]]; then before=""; continue; fi
    if [[ $word == -* ]]; then
      case "$at" in
${valued.join('\n')}
      esac
      [[ $valued == *" $word "* ]] && before="$word"
      continue
    fi
    case "\${at:+$at/}$word" in
    ${keysOf(table).map(quote).join('|')}) at="\${at:+$at/}$word" ;;
    esac
  done
  case "$at $prev" in
${valueCases(table, repliesOf)}
  esac
  case "$at" in
${own.join('\n')}
  esac
}
compdef _millrace millrace
`;
}
