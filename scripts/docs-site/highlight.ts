// Colours for code, by the few languages that the documents use. One pattern a language: the first group that
// matches says what a piece of text is, everything else stays plain.
import { html, type Fragment } from './html.ts';

/** The CSS class of each named group. */
const CLASSES = {
  comment: 't-c',
  string: 't-s',
  keyword: 't-k',
  name: 't-n',
  value: 't-v',
} as const;

type Kind = keyof typeof CLASSES;

const LANGUAGES: Readonly<Record<string, RegExp>> = {
  sh: /(?<comment>(?<![^\s])#.*)|(?<string>"(?:\\.|[^"\\])*"|'[^']*')|(?<value>\$\w+|\$\{\w+\})|(?<name>(?<![^\s])--?[a-zA-Z][\w-]*)|(?<keyword>(?<=^|[|&] )(?:[A-Z_]+=\S+ )?[./\w-]+)/gm,
  ts: /(?<comment>\/\/.*|\/\*[^]*?\*\/)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|(?<keyword>\b(?:import|from|export|const|let|function|async|await|return|if|else|for|of|in|new|throw|try|catch|type|interface|true|false|null|undefined)\b)|(?<value>\b\d[\d_.]*\b)|(?<name>\b[A-Za-z_]\w*(?=\())/g,
  json: /(?<name>"(?:\\.|[^"\\\n])*"(?=\s*:))|(?<string>"(?:\\.|[^"\\\n])*")|(?<keyword>\b(?:true|false|null)\b)|(?<value>-?\b\d[\d.eE+-]*)/g,
  yaml: /(?<comment>(?<![^\s])#.*)|(?<name>(?<=^[ -]*)[\w-]+(?=:))|(?<string>"(?:\\.|[^"\\\n])*"|'[^'\n]*')|(?<keyword>\b(?:true|false|null)\b)|(?<value>(?<=[ ,[])\d[\d._-]*(?![\w-]))/gm,
  toml: /(?<comment>(?<![^\s])#.*)|(?<keyword>^\[[^\]\n]*\])|(?<name>^[\w-]+(?= *=))|(?<string>"(?:\\.|[^"\\\n])*")/gm,
  ini: /(?<comment>^[#;].*)|(?<keyword>^\[[^\]\n]*\])|(?<name>^[\w-]+(?==))/gm,
};

export function highlight(code: string, language: string): Fragment {
  const pattern = LANGUAGES[language];
  if (pattern === undefined) return code;
  const parts: Fragment[] = [];
  let end = 0;
  for (const found of code.matchAll(pattern)) {
    const kind = (Object.keys(CLASSES) as Kind[]).find((name) => found.groups?.[name]);
    if (kind === undefined) continue;
    parts.push(
      code.slice(end, found.index),
      html`<span class="${CLASSES[kind]}">${found[0]}</span>`,
    );
    end = found.index + found[0].length;
  }
  return [...parts, code.slice(end)];
}
