// The commands of a shell snippet, as far as documents need it: words, quotes, comments, lines that
// go on, commands joined by && and |, variables set before a command, input from a file.

const TOKEN = /"((?:\\.|[^"\\])*)"|'([^']*)'|((?:\\[\s\S]|[^\s"'\\])+)|([ \t]+)|(\n)/gy;
const ENDS = new Set(['&&', '|', ';']);

/** Each command as its words. */
export function shellCommands(script: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    const input = words.indexOf('<');
    const plain = input < 0 ? words : words.toSpliced(input, 2);
    const first = plain.findIndex((one) => !/^[A-Z_]+=/.test(one));
    if (first >= 0) commands.push(plain.slice(first));
    words = [];
  };
  const text = script.replaceAll('\\\n', ' ').replaceAll(/(^|\s)#.*$/gm, '$1');
  for (const [all, double, single, bare, , newLine] of text.matchAll(TOKEN)) {
    const part = double ?? single ?? bare;
    if (part === undefined) {
      endWord();
      if (newLine !== undefined) endCommand();
    } else if (word === undefined && ENDS.has(all)) endCommand();
    else word = (word ?? '') + part;
  }
  endCommand();
  return commands;
}
