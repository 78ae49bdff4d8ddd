import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { filesUnder, fromRoot } from './tree.ts';

it('every picture is shown on a page', () => {
  const pages = ['README.md', ...filesUnder('docs', '.md')];
  const text = pages.map((file) => readFileSync(fromRoot(file), 'utf8')).join('\n');
  const shown = readdirSync(fromRoot('docs/images')).filter((name) =>
    text.includes(`images/${name}`),
  );
  expect(readdirSync(fromRoot('docs/images'))).toEqual(shown);
});
