// Which language a file is in, by its ending.

const ENDINGS = {
  javascript: ['js', 'mjs', 'cjs', 'jsx'],
  typescript: ['ts', 'mts', 'cts'],
  tsx: ['tsx'],
  html: ['html', 'htm', 'vue', 'svelte'],
  css: ['css', 'scss', 'less'],
  cpp: ['c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp'],
  json: ['json', 'jsonc', 'json5'],
  yaml: ['yaml', 'yml'],
  markdown: ['md', 'markdown'],
  xml: ['xml', 'svg'],
  python: ['py', 'pyi'],
  rust: ['rs'],
  go: ['go'],
  java: ['java'],
} as const;

export type Language = keyof typeof ENDINGS;

const BY_ENDING: ReadonlyMap<string, Language> = new Map(
  Object.entries(ENDINGS).flatMap(([language, endings]) =>
    endings.map((ending) => [ending, language as Language] as const),
  ),
);

/** Undefined for files that are shown in one colour. */
export function languageOf(path: string): Language | undefined {
  return BY_ENDING.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
}
