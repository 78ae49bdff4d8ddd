// Texts for scripts of shells.

/** One word, whatever is in it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The first line of a description, short enough to stand beside a name. */
export function brief(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/\s+/g, ' ').slice(0, 70);
}
