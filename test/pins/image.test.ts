import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { fromRoot } from './tree.ts';

const isCheckout = () => {
  try {
    execFileSync('git', ['rev-parse'], { cwd: fromRoot('.'), stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

it.runIf(isCheckout())('no source is left out of an image that is built from a checkout', () => {
  const patterns = readFileSync(fromRoot('.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: fromRoot('.'), encoding: 'utf8' });
  const ignored = tracked
    .split('\0')
    .filter((file) => file !== '')
    .filter((file) => {
      const parts = file.split('/');
      // A pattern that matches a folder leaves out all that is in it.
      const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
      return patterns.some((pattern) => paths.some((path) => matchesGlob(path, pattern)));
    });
  expect(ignored).toEqual([]);
});
