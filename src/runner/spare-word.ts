/** In place of the words of a command: it waits for them. */
export const SPARE = '--wait-for-words';
