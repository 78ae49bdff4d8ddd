import { readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { expect, it } from 'vitest';
import { filesUnder, fromRoot, withoutComments } from './tree.ts';

const FACE = 'src/orchestrator/index.ts';

function importsOf(file: string): string[] {
  const text = withoutComments(readFileSync(fromRoot(file), 'utf8'));
  const found = [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)];
  return found.map(([, specifier = '']) => posix.join(dirname(file), specifier));
}

/** Imports of some files into the orchestrator that do not go through its face. */
function pastTheFace(folder: string): string[] {
  return filesUnder(folder, '.ts').flatMap((file) =>
    importsOf(file)
      .filter((target) => target.startsWith('src/orchestrator/') && target !== FACE)
      .map((target) => `${file} imports ${target}; use ${FACE}`),
  );
}

it('commands about runs use the orchestrator by its public face', () => {
  expect(pastTheFace('src/cli/commands/runs')).toEqual([]);
});

it('tools for assistants use it by its public face, too', () => {
  expect(pastTheFace('src/tools')).toEqual([]);
});

it('the orchestrator knows nothing of the command line', () => {
  const known = filesUnder('src/orchestrator', '.ts').flatMap((file) =>
    importsOf(file).filter((target) => target.startsWith('src/cli/')),
  );
  expect(known).toEqual([]);
});

it('finds an import past the face', () => {
  expect(pastTheFace('src/orchestrator/run').length).toBeGreaterThan(0);
});
