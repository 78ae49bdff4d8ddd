// People copy what documents and templates name. A model there must be one that its vendor offers today.
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { factsOf } from '../../src/domain/model/model-facts.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** History, and what speaks of models by name on purpose: the facts themselves and what reads ids. */
const LEFT_OUT =
  /^(?:CHANGELOG\.md|docs\/decisions\/|test\/|bench\/|chaos\/|src\/domain\/(?:model|prompt)\/|src\/providers\/|package-lock\.json|web\/.*\.svg)/;
const TEXT = /\.(?:md|ts|tsx|json|ya?ml|mjs|sql|txt|html)$/;
const ID =
  /(?<![\w./-])(?:claude-(?:opus|sonnet|haiku|fable|mythos|\d)[\w.-]*\w|gpt-\d[\w.-]*\w|gemini-\d[\w.-]*\w|o\d(?:-mini|-pro)?)(?![\w-])/g;

function namedModels(): Map<string, string> {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  const named = new Map<string, string>();
  for (const file of files.split('\0')) {
    if (!TEXT.test(file) || LEFT_OUT.test(file)) continue;
    for (const [id] of readFileSync(ROOT + file, 'utf8').matchAll(ID)) named.set(id, file);
  }
  return named;
}

it('documents, templates and examples name current models', () => {
  const named = namedModels();
  expect(named.size).toBeGreaterThan(2);
  const others = [...named].filter(([id]) => factsOf(id)?.status !== 'current');
  expect(others.map(([id, file]) => `${file}: ${id}`)).toEqual([]);
});
