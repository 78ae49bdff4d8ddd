import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { filesUnder, fromRoot } from './tree.ts';

const MAX_LINES = 400;

it(`keeps every source file at ${MAX_LINES} lines or fewer`, () => {
  const endings = ['.ts', '.tsx', '.mjs', '.css', '.sql'];
  const files = ['src', 'scripts', 'web', 'bench', 'sql'].flatMap((folder) =>
    filesUnder(folder, ...endings).filter((file) => !file.includes('/results/')),
  );
  expect(files).toContain('src/contract/errors.ts');
  const tooLong = files
    .map((file) => ({ file, lines: readFileSync(fromRoot(file), 'utf8').trimEnd().split('\n') }))
    .filter(({ lines }) => lines.length > MAX_LINES)
    .map(({ file, lines }) => `${file}: ${lines.length} lines`);
  expect(tooLong).toEqual([]);
});
