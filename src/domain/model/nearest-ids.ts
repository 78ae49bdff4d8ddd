// Ids that a person may have meant: for a hint, never to decide what a model is.

/** Changes of one letter, swaps of neighbours included, from one word to the other. */
export function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      let best = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + cost);
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwap) best = Math.min(best, before[j - 2]! + 1);
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[other.length]!;
}

/** One slip in three or four letters, two in longer ids: more is another word. */
function mostSlips(id: string): number {
  return id.length < 5 ? 1 : 2;
}

/** Nearest first. An id that is in the list has none: it was meant. */
export function nearestIds(asked: string, known: readonly string[], most = 3): string[] {
  const word = asked.toLowerCase();
  if (known.some((id) => id.toLowerCase() === word)) return [];
  return known
    .filter((id) => Math.abs(id.length - word.length) <= mostSlips(word))
    .map((id) => ({ id, slips: editDistance(word, id.toLowerCase()) }))
    .filter(({ slips }) => slips <= mostSlips(word))
    .toSorted((one, other) => one.slips - other.slips || one.id.localeCompare(other.id))
    .slice(0, most)
    .map(({ id }) => id);
}
