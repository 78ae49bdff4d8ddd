import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesUnder, fromRoot } from './tree.ts';
import { WORDS, asWords, countWords, differences, titlesOf } from './words.ts';
import type { Counts } from './words.ts';

const COUNTS_FILE = 'test/pins/words.json';
const REWRITE = 'UPDATE_WORDS=1 npm test -- test/pins/words.test.ts';

/** `src/engine` for all below it, `src` for what is directly in it. */
function folderOf(file: string): string {
  const [top = '', next = '', ...deeper] = file.split('/');
  return deeper.length > 0 && top !== 'docs' ? `${top}/${next}` : top;
}

const read = (file: string) => readFileSync(fromRoot(file), 'utf8');

const texts = [
  ...[...filesUnder('src', '.ts'), ...filesUnder('web', '.ts', '.tsx', '.css', '.html')].map(
    (file) => ({ file, folder: folderOf(file), text: read(file) }),
  ),
  ...filesUnder('docs', '.md').map((file) => ({ file, folder: 'docs', text: read(file) })),
  ...filesUnder('test', '.test.ts', '.test.tsx').map((file) => ({
    file,
    folder: 'test titles',
    text: titlesOf(read(file)),
  })),
];

function countAll(): Counts {
  const counts: Counts = {};
  for (const { folder, text } of texts) {
    for (const [word, count] of Object.entries(countWords(folder, text))) {
      const ofFolder = (counts[folder] ??= {});
      ofFolder[word] = (ofFolder[word] ?? 0) + count;
    }
  }
  return counts;
}

function filesWith(folder: string, word: string): string {
  const files = texts
    .filter((each) => each.folder === folder && countWords(folder, each.text)[word] !== undefined)
    .map(({ file }) => file);
  return files.length > 8 ? `${files.length} files` : files.join(', ');
}

function inOrder(counts: Counts): Counts {
  const words = WORDS.map(({ word }) => word);
  const sorted = (of: Record<string, number>) =>
    Object.fromEntries(words.flatMap((word) => (of[word] === undefined ? [] : [[word, of[word]]])));
  return Object.fromEntries(
    Object.keys(counts)
      .sort()
      .map((folder) => [folder, sorted(counts[folder]!)]),
  );
}

describe('words that cost a second reading', () => {
  const now = countAll();
  const before = JSON.parse(read(COUNTS_FILE)) as Counts;
  const changed = differences(before, now);
  const more = changed.filter(({ from, to }) => to > from);

  it('only become fewer', () => {
    const problems = more.map(({ folder, word, from, to }) => {
      const instead = WORDS.find((each) => each.word === word)?.instead ?? '';
      return `${folder}: "${word}" ${from} -> ${to}; write ${instead} (${filesWith(folder, word)})`;
    });
    expect(problems).toEqual([]);
  });

  it('are as many as are written down', () => {
    // Never upwards: a word that was added is reworded, not recorded.
    if (process.env['UPDATE_WORDS'] && more.length === 0) {
      writeFileSync(fromRoot(COUNTS_FILE), `${JSON.stringify(inOrder(now), undefined, 2)}\n`);
      return;
    }
    const fewer = changed.filter(({ from, to }) => to < from);
    const problems = fewer.map(
      ({ folder, word, from, to }) => `${folder}: "${word}" ${from} -> ${to}; run ${REWRITE}`,
    );
    expect(problems).toEqual([]);
  });
});

describe('the count of words', () => {
  it('finds words in names, in comments over several lines and in sentences', () => {
    const source = '// It goes\n// on.\nconst toldOf = isTold();\n/* Whoever\n * asks. */';
    expect(countWords('src/app', source)).toEqual({ told: 2, whoever: 1, 'goes on': 1 });
  });

  it('leaves ordinary uses alone', () => {
    const ordinary = [
      'The way is to ask.',
      'All there is to say.',
      'Have a look.',
      'It looks like one. We look at it.',
      'gender, sender, reminder',
    ];
    expect(countWords('src/app', ordinary.join('\n\n'))).toEqual({});
    expect(countWords('web/ui', 'the look, pace')).toEqual({});
    expect(countWords('src/engine', 'the last look; the pace')).toEqual({ look: 1, pace: 1 });
  });

  it('reads the titles of tests and nothing else of them', () => {
    const source = `it('is told', () => { const told = 1; });\nit.each([1])("a wish %s", f);`;
    expect(countWords('test titles', titlesOf(source))).toEqual({ told: 1, wish: 1 });
  });

  it('says which way a count went', () => {
    expect(differences({ a: { told: 2 }, b: { wish: 1 } }, { a: { told: 3 } })).toEqual([
      { folder: 'a', word: 'told', from: 2, to: 3 },
      { folder: 'b', word: 'wish', from: 1, to: 0 },
    ]);
  });

  it('splits names', () => {
    expect(asWords('createPace(MOST_WISHES)')).toBe('create pace(most wishes)');
  });
});
