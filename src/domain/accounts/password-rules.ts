// Which passwords may be chosen. Length is what counts; beyond that, a password is refused when it is
// little more than what everybody tries first: a common word or two, the address of the account, the
// same again, a row of keys.
import { COMMON_WORDS } from './common-words.ts';

export const MIN_PASSWORD_LENGTH = 12;
/** More would cost time to hash and protects nobody better. */
export const MAX_PASSWORD_LENGTH = 256;

export type PasswordProblem = 'PASSWORD_TOO_SHORT' | 'PASSWORD_TOO_LONG' | 'PASSWORD_TOO_COMMON';

const FEWEST_DISTINCT = 5;
/** Characters that no rule explains, or words: as many of either make a password hard to guess. */
const ENOUGH_UNEXPLAINED = 4;
const ENOUGH_WORDS = 3;
const LONGEST_WORD = 16;
const SHORTEST_WORD = 4;
const SHORTEST_ROW = 3;

const ROWS = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const ROWS_EITHER_WAY = ROWS.flatMap((row) => [row, Array.from(row).toReversed().join('')]);

/** What people write for a letter. */
const LETTERS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** The same password typed on another system must give the same text. */
export function normalPassword(password: string): string {
  return password.normalize('NFKC');
}

function rowLength(text: string, from: number): number {
  let length = 0;
  const same = text[from];
  while (text[from + length] === same && same !== undefined) length += 1;
  for (const row of ROWS_EITHER_WAY) {
    const at = row.indexOf(text[from] ?? ' ');
    let run = 0;
    while (at >= 0 && at + run < row.length && text[from + run] === row[at + run]) run += 1;
    length = Math.max(length, run);
  }
  return length >= SHORTEST_ROW ? length : 0;
}

function wordAt(text: string, from: number, known: (word: string) => boolean): string | undefined {
  for (let length = LONGEST_WORD; length >= SHORTEST_WORD; length--) {
    const word = text.slice(from, from + length);
    if (word.length === length && known(word)) return word;
  }
  return undefined;
}

function isGuessable(text: string, own: ReadonlySet<string>): boolean {
  const known = (word: string) => COMMON_WORDS.has(word) || own.has(word);
  const plain = Array.from(text, (char) => LETTERS[char] ?? char).join('');
  const words = new Set<string>();
  let unexplained = 0;
  for (let at = 0; at < text.length;) {
    const word = wordAt(text, at, known) ?? wordAt(plain, at, known);
    if (word !== undefined) words.add(word);
    const step = word?.length ?? rowLength(text, at);
    if (step === 0) unexplained += 1;
    at += Math.max(1, step);
  }
  return unexplained < ENOUGH_UNEXPLAINED && words.size < ENOUGH_WORDS;
}

function wordsOf(email: string): Set<string> {
  const parts = email.toLowerCase().split(/[^a-z0-9]+/);
  return new Set([...parts, 'millrace'].filter((part) => part.length >= SHORTEST_WORD));
}

/** Undefined when the password is good enough. */
export function passwordProblem(password: string, email: string): PasswordProblem | undefined {
  const text = normalPassword(password);
  const length = Array.from(text).length;
  if (length < MIN_PASSWORD_LENGTH) return 'PASSWORD_TOO_SHORT';
  if (length > MAX_PASSWORD_LENGTH) return 'PASSWORD_TOO_LONG';
  const lower = text.toLowerCase();
  if (new Set(lower).size < FEWEST_DISTINCT) return 'PASSWORD_TOO_COMMON';
  return isGuessable(lower, wordsOf(email)) ? 'PASSWORD_TOO_COMMON' : undefined;
}

export const PASSWORD_PROBLEMS: Readonly<Record<PasswordProblem, string>> = {
  PASSWORD_TOO_SHORT: `Use a password of at least ${MIN_PASSWORD_LENGTH} characters.`,
  PASSWORD_TOO_LONG: `Use a password of at most ${MAX_PASSWORD_LENGTH} characters.`,
  PASSWORD_TOO_COMMON:
    'This password is easy to guess. Use a few unrelated words, or let a password manager make one.',
};
