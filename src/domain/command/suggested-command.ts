// Every command that Millrace suggests is made here, in terminals, on pages and in answers, so that it can be
// pasted as it is: with the name by which the program can really be called, and with what says where.

/** How the reader calls the program: the name or path of it, and flags that belong to every call. */
export interface Launch {
  program: string;
  /** Such as `--data-dir`, with its value as the next word. */
  flags: readonly string[];
}

/** For readers whose machine is not known: as an installation has it. */
export const INSTALLED: Launch = { program: 'millrace', flags: [] };

/** One word for a shell, whatever is in it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function suggestCommand({ program, flags }: Launch, ...words: string[]): string {
  const line = [program, ...flags, ...words].map(shellWord).join(' ');
  // Names of files and streams are made by others: nothing in them is for the terminal.
  return line.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
}

/** Where nothing is known about the reader's machine. */
export function plainCommand(...words: string[]): string {
  return suggestCommand(INSTALLED, ...words);
}
