import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BUILT_FEATURES, REQUIREMENTS } from '../requirements.ts';
import { filesUnder, fromRoot, withoutComments } from './tree.ts';

const CALL = /\bverifies\(([^)]*)\)/g;
const LITERAL = /'([^']*)'|"([^"]*)"/g;

interface Citation {
  id: string;
  file: string;
}

function citationsIn(file: string, text: string): Citation[] {
  return [...withoutComments(text).matchAll(CALL)].flatMap(([, args = '']) =>
    [...args.matchAll(LITERAL)].map(([, single, double]) => ({ id: single ?? double ?? '', file })),
  );
}

const citations = filesUnder('test', '.test.ts')
  // This file's own examples are not citations.
  .filter((file) => file !== 'test/pins/requirements.test.ts')
  .flatMap((file) => citationsIn(file, readFileSync(fromRoot(file), 'utf8')));

describe('the list of requirements', () => {
  it('names every rule once', () => {
    const seen = new Set<string>();
    const twice = REQUIREMENTS.map(({ id }) => id).filter((id) => seen.size === seen.add(id).size);
    expect(twice).toEqual([]);
  });

  it('gives every rule an id of words and dots, and a sentence', () => {
    const odd = REQUIREMENTS.filter(
      ({ id, rule }) => !/^[a-z0-9]+([.-][a-z0-9]+)*$/.test(id) || !/^.{10,}\.$/.test(rule),
    );
    expect(odd.map(({ id }) => id)).toEqual([]);
  });

  it('is cited with known ids only', () => {
    const known = new Set<string>(REQUIREMENTS.map(({ id }) => id));
    const unknown = citations.filter(({ id }) => !known.has(id));
    expect(unknown).toEqual([]);
  });

  it('is proved by a test for every rule of a built feature', () => {
    const cited = new Set(citations.map(({ id }) => id));
    const uncited = REQUIREMENTS.filter(
      ({ id, feature }) => BUILT_FEATURES.has(feature) && !cited.has(id),
    ).map(({ id, section, feature, rule }) => `[${feature}] ${id} (${section}): ${rule}`);
    const heading = `${uncited.length} rules of built features are cited by no test:`;
    expect(uncited.length, `\n${heading}\n${uncited.join('\n')}\n`).toBe(0);
  });
});

describe('the reader of citations', () => {
  it('finds ids in calls over one or several lines and in either quote', () => {
    const text = `verifies('a.b');\n  verifies(\n    'c.d',\n    "e.f",\n  );`;
    expect(citationsIn('x', text).map(({ id }) => id)).toEqual(['a.b', 'c.d', 'e.f']);
  });

  it('does not take a call in a comment for a citation', () => {
    expect(citationsIn('x', `// verifies('a.b');`)).toEqual([]);
  });
});
