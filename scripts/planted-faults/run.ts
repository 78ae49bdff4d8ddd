// `npm run planted-faults [-- NAME...]`: takes one safety mechanism after another away, in a copy of the sources,
// and looks whether the tests notice. First the same tests as they are: one that is red anyway proves nothing.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLANTED_FAULTS } from './faults.ts';
import type { PlantedFault } from './faults.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PARTS = ['src', 'test', 'sql', 'schemas', 'docs', 'examples', 'scripts', 'bench', 'chaos'];
const FILES = ['package.json', 'tsconfig.json', 'vitest.config.ts', 'README.md', 'CHANGELOG.md'];

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !PLANTED_FAULTS.some((fault) => fault.name === name));
if (unknown !== undefined) {
  console.error(`There is no ${unknown}: ${PLANTED_FAULTS.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const faults = PLANTED_FAULTS.filter(({ name }) => asked.length === 0 || asked.includes(name));

const copy = mkdtempSync(join(tmpdir(), 'millrace-planted-'));
for (const part of [...PARTS, ...FILES]) cpSync(root + part, join(copy, part), { recursive: true });
for (const shared of ['node_modules', 'dist', 'web']) {
  symlinkSync(root + shared, join(copy, shared));
}

interface Outcome {
  failed: number;
  passed: number;
}

function runTests(tests: readonly string[]): Outcome {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  spawnSync(
    process.execPath,
    [vitest, 'run', ...tests, '--testTimeout=120000', '--reporter=json', `--outputFile=${report}`],
    { cwd: copy, stdio: 'ignore', env: { ...process.env, TEST_PATIENCE_MS: '30000' } },
  );
  try {
    const { numFailedTests, numPassedTests } = JSON.parse(readFileSync(report, 'utf8')) as {
      numFailedTests: number;
      numPassedTests: number;
    };
    return { failed: numFailedTests, passed: numPassedTests };
  } catch {
    return { failed: 0, passed: 0 };
  }
}

function plant({ name, changes }: PlantedFault): () => void {
  const before = new Map<string, string>();
  for (const { file, from, to } of changes) {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(from)) throw new Error(`${name}: ${file} has no longer the text ${from}`);
    if (!before.has(path)) before.set(path, text);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
  return () => {
    for (const [path, text] of before) writeFileSync(path, text);
  };
}

let unnoticed = 0;
try {
  const tests = [...new Set(faults.flatMap((fault) => fault.tests))];
  const whole = runTests(tests);
  console.log(`as it is: ${whole.passed} passed, ${whole.failed} failed`);
  if (whole.failed > 0 || whole.passed === 0) throw new Error('These tests do not pass as it is.');
  for (const fault of faults) {
    const undo = plant(fault);
    const { failed, passed } = runTests(fault.tests);
    undo();
    // Nothing passing either means that the tests could not run at all, which is no proof.
    const isNoticed = failed > 0;
    if (!isNoticed) unnoticed += 1;
    const word = isNoticed ? `noticed by ${failed} of ${failed + passed} tests` : 'NOT NOTICED';
    console.log(`${fault.name.padEnd(20)} ${word.padEnd(32)} else: ${fault.danger}`);
  }
  console.log(`${faults.length - unnoticed} of ${faults.length} noticed`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exit(unnoticed === 0 ? 0 : 1);
