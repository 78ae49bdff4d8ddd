// Twenty small exercises in the manner of public collections for learners (Exercism and the like): a function, its tests, a
// first try that is wrong in a usual way, and a right one. The texts are our own.

export interface Exercise {
  id: string;
  task: string;
  /** Parameters of the function, which is called `solve`. */
  parameters: string;
  wrong: string;
  right: string;
  /** Arguments, and what comes back. */
  cases: readonly (readonly [readonly unknown[], unknown])[];
}

const exercise = (
  id: string,
  task: string,
  [parameters, wrong, right]: readonly [string, string, string],
  ...cases: Exercise['cases']
): Exercise => ({ id, task, parameters, wrong, right, cases });

export const EXERCISES: readonly Exercise[] = [
  exercise(
    'leap-year',
    'Say whether a year of the Gregorian calendar is a leap year.',
    [
      'year',
      'return year % 4 === 0;',
      'return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);',
    ],
    [[2024], true],
    [[1900], false],
    [[2000], true],
  ),
  exercise(
    'hamming',
    'Count the places at which two texts of the same length differ.',
    [
      'a, b',
      'return [...a].filter((letter, at) => letter === b[at]).length;',
      'return [...a].filter((letter, at) => letter !== b[at]).length;',
    ],
    [['GAGC', 'CATG'], 3],
    [['', ''], 0],
  ),
  exercise(
    'reverse',
    'Reverse a text, letter by letter; an emoji is one letter.',
    ['text', "return text.split('').reverse().join('');", "return [...text].reverse().join('');"],
    [['abc'], 'cba'],
    [['a😀'], '😀a'],
  ),
  exercise(
    'triangle',
    'Say whether three sides make a triangle: none is as long as the other two together.',
    [
      'a, b, c',
      'return a + b > c;',
      'return a > 0 && b > 0 && c > 0 && a + b > c && b + c > a && a + c > b;',
    ],
    [[3, 4, 5], true],
    [[7, 1, 1], false],
    [[0, 0, 0], false],
  ),
  exercise(
    'raindrops',
    'Pling for 3, Plang for 5, Plong for 7, one after the other; else the number as text.',
    [
      'number',
      "return (number % 3 ? '' : 'Pling') + (number % 5 ? '' : 'Plang') + (number % 7 ? '' : 'Plong');",
      "const drops = (number % 3 ? '' : 'Pling') + (number % 5 ? '' : 'Plang') + (number % 7 ? '' : 'Plong');\n  return drops || String(number);",
    ],
    [[15], 'PlingPlang'],
    [[8], '8'],
  ),
  exercise(
    'isogram',
    'Say whether no letter comes twice, whatever its case; spaces and hyphens do not count.',
    [
      'text',
      'return new Set(text).size === text.length;',
      "const letters = text.toLowerCase().replace(/[ -]/g, '');\n  return new Set(letters).size === letters.length;",
    ],
    [['six-year-old'], true],
    [['Alphabet'], false],
  ),
  exercise(
    'pangram',
    'Say whether all 26 letters are in a sentence.',
    [
      'text',
      'return new Set(text.toLowerCase()).size >= 26;',
      'return new Set(text.toLowerCase().match(/[a-z]/g)).size === 26;',
    ],
    [['The quick brown fox jumps over the lazy dog'], true],
    [['abcdefghijklmnopqrstuvwxy 1234567'], false],
  ),
  exercise(
    'collatz',
    'Count the steps to 1: halve an even number, else triple it and add one.',
    [
      'number',
      'let steps = 1;\n  for (let n = number; n !== 1; steps++) n = n % 2 ? 3 * n + 1 : n / 2;\n  return steps;',
      'let steps = 0;\n  for (let n = number; n !== 1; steps++) n = n % 2 ? 3 * n + 1 : n / 2;\n  return steps;',
    ],
    [[1], 0],
    [[12], 9],
  ),
  exercise(
    'acronym',
    'Make an acronym of a phrase; a hyphen separates words, too.',
    [
      'phrase',
      "return phrase.split(' ').map((word) => word[0].toUpperCase()).join('');",
      "return phrase.split(/[ -]+/).map((word) => word[0].toUpperCase()).join('');",
    ],
    [['portable network graphics'], 'PNG'],
    [['first-in first-out'], 'FIFO'],
  ),
  exercise(
    'anagram',
    'Of the candidates, return the anagrams of a word, in order; a word is not its own anagram.',
    [
      'word, candidates',
      "const key = (text) => [...text].sort().join('');\n  return candidates.filter((each) => key(each) === key(word));",
      "const key = (text) => [...text.toLowerCase()].sort().join('');\n  return candidates.filter((each) => each.toLowerCase() !== word.toLowerCase() && key(each) === key(word));",
    ],
    [['stone', ['Tones', 'stone', 'stove']], ['Tones']],
  ),
  exercise(
    'roman',
    'Write a number from 1 to 3999 in Roman numerals.',
    [
      'number',
      "return 'M'.repeat(number / 1000) + 'C'.repeat((number % 1000) / 100) + 'X'.repeat((number % 100) / 10) + 'I'.repeat(number % 10);",
      "const values = [[1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']];\n  let left = number;\n  return values.map(([value, sign]) => { const count = Math.floor(left / value); left -= count * value; return sign.repeat(count); }).join('');",
    ],
    [[3], 'III'],
    [[1994], 'MCMXCIV'],
  ),
  exercise(
    'luhn',
    'Say whether a number passes the Luhn check; spaces do not count, one digit is not enough.',
    [
      'text',
      'const sum = [...text].reduce((total, digit) => total + Number(digit), 0);\n  return sum % 10 === 0;',
      "const digits = text.replaceAll(' ', '');\n  if (!/^\\d{2,}$/.test(digits)) return false;\n  const sum = [...digits].reverse().reduce((total, digit, at) => { const value = Number(digit) * (at % 2 ? 2 : 1); return total + (value > 9 ? value - 9 : value); }, 0);\n  return sum % 10 === 0;",
    ],
    [['4539 3195 0343 6467'], true],
    [['0'], false],
  ),
  exercise(
    'brackets',
    'Say whether all brackets of a text are closed in the right order.',
    [
      'text',
      "return [...text].filter((sign) => '([{'.includes(sign)).length === [...text].filter((sign) => ')]}'.includes(sign)).length;",
      "const closing = { ')': '(', ']': '[', '}': '{' };\n  const open = [];\n  for (const sign of text) {\n    if ('([{'.includes(sign)) open.push(sign);\n    else if (sign in closing && open.pop() !== closing[sign]) return false;\n  }\n  return open.length === 0;",
    ],
    [['{[()]}'], true],
    [['[(])'], false],
  ),
  exercise(
    'sieve',
    'List the primes up to a number, which may be one itself.',
    [
      'limit',
      'const found = [];\n  for (let n = 2; n < limit; n++) if (found.every((prime) => n % prime)) found.push(n);\n  return found;',
      'const found = [];\n  for (let n = 2; n <= limit; n++) if (found.every((prime) => n % prime)) found.push(n);\n  return found;',
    ],
    [[13], [2, 3, 5, 7, 11, 13]],
    [[1], []],
  ),
  exercise(
    'armstrong',
    'Say whether a number is the sum of its digits, each to the power of their count.',
    [
      'number',
      'return [...String(number)].reduce((sum, digit) => sum + digit ** 3, 0) === number;',
      'const digits = [...String(number)];\n  return digits.reduce((sum, digit) => sum + Number(digit) ** digits.length, 0) === number;',
    ],
    [[153], true],
    [[9474], true],
  ),
  exercise(
    'run-length',
    'Encode runs of letters: a count in front of each letter, left out for one.',
    [
      'text',
      'return text.replace(/(.)\\1*/g, (run, letter) => run.length + letter);',
      "return text.replace(/(.)\\1*/g, (run, letter) => (run.length > 1 ? run.length : '') + letter);",
    ],
    [['AABCCC'], '2AB3C'],
    [[''], ''],
  ),
  exercise(
    'rotate',
    'Shift the letters of the Latin alphabet by a key; their case stays.',
    [
      'text, key',
      'return text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + key) % 26) + 97));',
      "return text.replace(/[a-z]/gi, (letter) => { const base = letter < 'a' ? 65 : 97; return String.fromCharCode(((letter.charCodeAt(0) - base + key) % 26) + base); });",
    ],
    [['abc', 1], 'bcd'],
    [['Zebra', 3], 'Cheud'],
  ),
  exercise(
    'flatten',
    'Flatten nested lists to any depth, without null and undefined.',
    ['list', 'return list.flat();', 'return list.flat(Infinity).filter((each) => each != null);'],
    [[[1, [2, [3, null, [[4]]]]]], [1, 2, 3, 4]],
  ),
  exercise(
    'binary-search',
    'Return the place of a number in a sorted list, or -1.',
    [
      'list, wanted',
      'let [low, high] = [0, list.length - 1];\n  while (low < high) { const middle = (low + high) >> 1; if (list[middle] === wanted) return middle; if (list[middle] < wanted) low = middle + 1; else high = middle - 1; }\n  return -1;',
      'let [low, high] = [0, list.length - 1];\n  while (low <= high) { const middle = (low + high) >> 1; if (list[middle] === wanted) return middle; if (list[middle] < wanted) low = middle + 1; else high = middle - 1; }\n  return -1;',
    ],
    [[[1, 3, 5], 5], 2],
    [[[7], 7], 0],
    [[[], 1], -1],
  ),
  exercise(
    'matrix',
    'Turn the rows of a matrix into columns.',
    [
      'rows',
      'return rows.map((row, at) => rows.map((each) => each[at]));',
      'return (rows[0] ?? []).map((_, at) => rows.map((each) => each[at]));',
    ],
    [
      [
        [
          [1, 2, 3],
          [4, 5, 6],
        ],
      ],
      [
        [1, 4],
        [2, 5],
        [3, 6],
      ],
    ],
    [[[]], []],
  ),
];

export const sourceOf = ({ parameters }: Exercise, body = "throw new Error('not written');") =>
  `export function solve(${parameters}) {\n  ${body}\n}\n`;

export function testOf({ id, cases }: Exercise): string {
  const checks = cases.map(
    ([args, result]) =>
      `assert.deepEqual(solve(...${JSON.stringify(args)}), ${JSON.stringify(result)});`,
  );
  return [
    "import assert from 'node:assert/strict';",
    `import { solve } from '../src/${id}.mjs';`,
    ...checks,
    '',
  ].join('\n');
}
