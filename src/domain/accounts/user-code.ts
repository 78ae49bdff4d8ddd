// The code that a person types or compares when a command line signs in: eight consonants, so that it
// spells nothing and no two letters are mistaken for each other.

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const FORMAT = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);

/** `random(n)`: a whole number from 0 to below n, which nobody can foresee. */
export function newUserCode(random: (below: number) => number): string {
  let code = '';
  for (let i = 0; i < LENGTH; i++) code += LETTERS[random(LETTERS.length)]!;
  return code;
}

export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** However it was typed; undefined for what is no code. */
export function readUserCode(text: string): string | undefined {
  const code = text.replace(/[\s-]/g, '').toUpperCase();
  return FORMAT.test(code) ? code : undefined;
}
