// Texts made to be read again and again, for everything that reads texts of others.
import { describe, it } from 'vitest';
import { decisiveLines } from '../../src/domain/run/decisive-lines.ts';
import { planPrompt } from '../../src/domain/execution/prompts.ts';
import { findSign } from '../../src/domain/run/failure-signs.ts';
import { factsOf } from '../../src/project/imports/config-facts.ts';
import { createJavaScript } from '../../src/project/imports/javascript.ts';
import { GO, RUST, STYLES } from '../../src/project/imports/other-languages.ts';
import { planText } from '../../src/providers/simulator/plan-text.ts';
import { readScript } from '../../src/providers/simulator/script.ts';
import { expectSimilarCost } from '../support/cost.ts';

const javascript = createJavaScript('/p');
const LENGTH = 200_000;
const fill = (piece: string) => piece.repeat(LENGTH / piece.length);
const HONEST = fill('An ordinary line of an ordinary text, in which nothing is odd.\n');

const noFiles = { files: [], contents: {}, environment: 'default' };
const plan = (task: string) =>
  planText(
    { prompt: planPrompt({ task, context: noFiles, maxSteps: 3, sha256: () => '' }) },
    { artifact: 'json' },
  );

describe('a hostile text costs no more than an honest one', () => {
  it.each<[string, string, (text: string) => unknown]>([
    ['directives that do not end', '[[sim:', plan],
    ['directives without number', '[[sim:x]]', (text) => readScript(text)],
    ['blanks in the report of tests', ' ', (text) => findSign(`Tests ${text}x`)],
    ['a rule in the report of tests', '=', (text) => findSign(`= 1 failed ${text}x`)],
    ['errors that say nothing', 'Error ', (text) => decisiveLines(text, 3)],
    ['scripts that do not end', '<script ', (text) => javascript.scan(text, 'a.vue')],
    ['open scripts', '<script>', (text) => javascript.scan(text, 'a.vue')],
    ['imports that do not end', 'import (\n', (text) => GO.scan(text, 'a.go')],
    ['modules that do not end', 'pub(\n', (text) => RUST.scan(text, 'a.rs')],
    ['styles that do not end', '@import (', (text) => STYLES.scan(text, 'a.css')],
    ['strings that do not end', '\\"', (text) => factsOf('/p', '/p/tsconfig.json', `"${text}`)],
    ['lists that do not end', '"path":[', (text) => factsOf('/p', '/p/tsconfig.json', text)],
  ])('%s', (_name, piece, read) => {
    expectSimilarCost(
      () => read(fill(piece)),
      () => read(HONEST),
    );
  });
});
