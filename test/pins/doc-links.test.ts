import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { CONTENTS } from '../../scripts/docs-site/contents.ts';
import { filesUnder, fromRoot } from './tree.ts';

it('has no link in its documents that leads to a missing file', () => {
  const top = readdirSync(fromRoot('.')).filter((name) => name.endsWith('.md'));
  const documents = [...top, ...filesUnder('docs', '.md')];
  expect(documents).toContain('README.md');
  const broken = documents.flatMap((file) => {
    const text = readFileSync(fromRoot(file), 'utf8');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    return targets
      .filter((target) => !/^([a-z]+:|#)/.test(target))
      .map((target) => posix.join(posix.dirname(file), target.replace(/#.*$/, '')))
      .filter((target) => !existsSync(fromRoot(target)))
      .map((target) => `${file} links to ${target}`);
  });
  expect(broken).toEqual([]);
});

it('has a file for every page in the contents of the documentation', () => {
  const missing = CONTENTS.flatMap(({ pages }) => pages)
    .map(({ name }) => `docs/${name}.md`)
    .filter((file) => !existsSync(fromRoot(file)));
  expect(missing).toEqual([]);
});
