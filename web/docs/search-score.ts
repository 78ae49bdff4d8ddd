// How well an entry of the search fits, and the part of its text that shows why.

/** Title of the page, heading, address, text. Short, because browsers load all of it. */
export type SearchEntry = [page: string, heading: string, url: string, text: string];

/** "retry" finds "retries". */
export function wordsOf(query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return words.map((word) => (word.length > 4 ? word.replace(/(?:ies|es|s|y)$/, '') : word));
}

/** Where a word is says more than how often: in a title, at the start of a word, in the text. */
function scoreOf([page, heading, , text]: SearchEntry, words: readonly string[]): number {
  const weights: [string, number][] = [
    [heading || page, 12],
    [page, 6],
    [text, 1],
  ];
  let sum = 0;
  for (const word of words) {
    const scores = weights.map(([source, weight]) => {
      const at = source.toLowerCase().indexOf(word);
      if (at < 0) return 0;
      const starts = at === 0 || /[^\p{L}\p{N}]/u.test(source[at - 1]!);
      return starts ? weight * 2 : weight;
    });
    const best = Math.max(...scores);
    if (best === 0) return 0;
    sum += best;
  }
  return heading === '' ? sum + 3 : sum;
}

const MOST_RESULTS = 20;

export function bestEntries(
  entries: readonly SearchEntry[],
  words: readonly string[],
): SearchEntry[] {
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_RESULTS)
    .map(({ entry }) => entry);
}

export function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const found = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const at = found.length === 0 ? 0 : Math.min(...found);
  const from = at > 40 ? text.indexOf(' ', at - 40) + 1 : 0;
  return (from > 0 ? '... ' : '') + text.slice(from, from + 140);
}

/** The text in pieces, in order; those that are one of the words are hits. */
export function splitAtWords(
  text: string,
  words: readonly string[],
): { text: string; isHit: boolean }[] {
  const lower = text.toLowerCase();
  const pieces: { text: string; isHit: boolean }[] = [];
  let at = 0;
  while (at < text.length) {
    const [next] = words
      .map((word) => ({ start: lower.indexOf(word, at), length: word.length }))
      .filter(({ start }) => start >= 0)
      .sort((a, b) => a.start - b.start || b.length - a.length);
    if (next === undefined) break;
    const end = next.start + next.length;
    pieces.push({ text: text.slice(at, next.start), isHit: false });
    pieces.push({ text: text.slice(next.start, end), isHit: true });
    at = end;
  }
  return [...pieces, { text: text.slice(at), isHit: false }];
}
