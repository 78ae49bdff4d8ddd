import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { filesUnder, fromRoot } from './tree.ts';

it('folders are made by platform/make-folder: the recursive mkdir of Node never returns below /proc', () => {
  const found = filesUnder('src', '.ts').filter((file) =>
    /mkdir(?:Sync)?\([^;]*recursive/.test(readFileSync(fromRoot(file), 'utf8')),
  );
  expect(found).toEqual([]);
});
