const SUBJECTS = [
  'The parser',
  'Each worker',
  'The store',
  'This change',
  'The first step',
  'A short test',
  'The new module',
  'The caller',
  'Every request',
  'The queue',
];
const VERBS = [
  'keeps',
  'checks',
  'returns',
  'replaces',
  'describes',
  'follows',
  'records',
  'prepares',
  'joins',
];
const OBJECTS = [
  'the result',
  'its own state',
  'a clear error',
  'the open files',
  'one small record',
  'the plan',
  'the remaining work',
  'a sorted list',
  'the final text',
];
const ENDINGS = [
  'before the next step begins',
  'without waiting',
  'in the same order',
  'as the task asks',
  'once and only once',
  'for every stream',
  'when the input is empty',
  'with a test beside it',
];

const SLOTS = [SUBJECTS, VERBS, OBJECTS, ENDINGS].map((phrases) =>
  phrases.map((phrase) => phrase.split(' ').map((word) => ` ${word}`)),
);

export type Random = () => number;

/** A small generator of numbers from 0 to 1 that gives the same row for the same seed. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pickWords(random: Random): string[][] {
  return SLOTS.map((slot) => slot[Math.floor(random() * slot.length)] ?? []);
}

export function sentence(random: Random): string {
  return `${pickWords(random).flat().join('').trimStart()}.`;
}

/**
 * Endless prose, a word at a call; the first words say where it comes from. The words are cut once,
 * with their spaces: a thousand streams at a time are mostly this function.
 */
export function createProse(model: string, random: Random): () => string {
  let words = `This answer is simulated by ${model}; no model was called.`.split(/(?= )/);
  let at = 0;
  let sentences = 1;
  return () => {
    const word = words[at++];
    if (word !== undefined) return word;
    words = pickWords(random).flat();
    words.push(`${words.pop() ?? ''}.`);
    if (sentences++ % 5 === 0) words[0] = `\n\n${(words[0] ?? '').trimStart()}`;
    at = 1;
    return words[0] ?? '';
  };
}
