// `/millrace fix the tests` on a line of its own. Quoted lines and code do not count: they are words about a command, or an
// example of one.

export interface CommentCommand {
  word: string;
  rest: string;
}

const FENCE = /^ {0,3}(?:```|~~~)/;
const WORD = /^[a-z][a-z0-9-]{0,30}$/;
/** Longer lines are no commands. */
const LONGEST_LINE = 2000;

export function commandIn(text: string): CommentCommand | undefined {
  let isCode = false;
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) isCode = !isCode;
    if (isCode || line.length > LONGEST_LINE) continue;
    const [name, word = '', ...rest] = line.trimEnd().split(/[ \t]+/);
    if (name === '/millrace' && WORD.test(word)) return { word, rest: rest.join(' ') };
  }
  return undefined;
}
