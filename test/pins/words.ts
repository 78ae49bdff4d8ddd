// Words that cost a reader a second reading, and what the field says instead. Names count like sentences: `toldOf` has
// the word "told" in it.

interface Word {
  word: string;
  /** Against text in lower case, with one space between words. */
  pattern: RegExp;
  instead: string;
  /** Where the word has this meaning; elsewhere it is an ordinary one. */
  only?: RegExp;
}

export const WORDS: readonly Word[] = [
  { word: 'told', pattern: /\btold\b/g, instead: 'reported, sent, said' },
  { word: 'tells', pattern: /\btells\b/g, instead: 'reports, sends, says' },
  { word: 'whoever', pattern: /\bwhoever\b/g, instead: 'the caller, a user, code that' },
  { word: 'somebody', pattern: /\bsomebody\b/g, instead: 'a user, another user, the caller' },
  { word: 'goes on', pattern: /\bgoes on\b/g, instead: 'continues, resumes' },
  { word: 'stands in', pattern: /\bstands in\b/g, instead: 'is in' },
  {
    word: 'is to',
    // Not "the way is to ...", "all there is to say", "what it is to the program".
    pattern:
      /(?<!\b(?:way|purpose|aim|point|idea|task|there|you) )\b(?:is|are) to\b(?! (?:a|an|the)\b)/g,
    instead: 'must, will, should',
  },
  { word: 'governor', pattern: /\bgovernors?\b/g, instead: 'rate limiter' },
  {
    word: 'pace',
    pattern: /\bpaces?\b/g,
    instead: 'rate limiter, rate',
    // Elsewhere it is the speed of simulated models, or of spending.
    only: /^src\/(?:app|domain|engine|orchestrator|store)$/,
  },
  { word: 'set aside', pattern: /\bset(?:s|ting)? aside\b/g, instead: 'reserved, started early' },
  {
    word: 'hand back',
    pattern: /\bhand(?:s|ed|ing)?(?: \w+){0,2} back\b/g,
    instead: 'requeue, return',
  },
  { word: 'newcomer', pattern: /\bnewcomers?\b/g, instead: 'idle team, new client' },
  { word: 'wish', pattern: /\bwish(?:es)?\b/g, instead: 'subscription, request' },
  {
    word: 'look',
    pattern:
      /(?<!\b(?:have|has|take|takes) )\b(?:a|another|each|every|last|next|one|the|this|two) looks?\b(?! (?:of|like|\w+ up)\b)|\blooks\.ts\b/g,
    instead: 'snapshot, read, check',
    // In the dashboard it is how a thing looks.
    only: /^(?:src\/(?!cli$)|docs$|test titles$)/,
  },
  { word: 'warmth', pattern: /\bwarmth\b/g, instead: 'warm-up' },
  { word: 'ender', pattern: /\benders?\b/g, instead: 'finalizer' },
];

/** Names are split into their words, comments and paragraphs joined to single lines. */
export function asWords(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .replaceAll(/\s*\n\s*(?:\/\/|\*(?!\/))?/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();
}

/** The first text of `it`, `describe` and their tables: `it.each([...])('...')`. */
export function titlesOf(source: string): string {
  const calls =
    /(?:\b(?:it|test|describe)(?:\.\w+)*|\))\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/g;
  return [...source.matchAll(calls)].map((found) => found.slice(1).join('')).join('\n;\n');
}

export type Counts = Record<string, Record<string, number>>;

export function countWords(folder: string, text: string): Record<string, number> {
  const words = asWords(text);
  const found = WORDS.filter(({ only }) => only === undefined || only.test(folder)).map(
    ({ word, pattern }) => [word, [...words.matchAll(pattern)].length] as const,
  );
  return Object.fromEntries(found.filter(([, count]) => count > 0));
}

interface Difference {
  folder: string;
  word: string;
  from: number;
  to: number;
}

export function differences(before: Counts, now: Counts): Difference[] {
  const folders = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return folders.flatMap((folder) => {
    const [old = {}, fresh = {}] = [before[folder], now[folder]];
    return [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
      .map((word) => ({ folder, word, from: old[word] ?? 0, to: fresh[word] ?? 0 }))
      .filter(({ from, to }) => from !== to);
  });
}
