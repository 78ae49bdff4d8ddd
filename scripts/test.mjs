// Runs the suite and closes with the one line that tools and people look for.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endLeftovers } from './end-leftovers.mjs';
import { quickFolder } from './quick-folder.mjs';

const folder = mkdtempSync(join(quickFolder() ?? tmpdir(), 'millrace-test-run-'));
// Tests as root run databases and commands as other users, who have to get through.
chmodSync(folder, 0o711);
const temporary = join(folder, 'tmp');
mkdirSync(temporary);
chmodSync(temporary, 0o1777);
const report = join(folder, 'report.json');
const vitest = spawn(
  'vitest',
  [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  // Many tests start the command anew: what was compiled once need not be compiled again.
  {
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled'), TMPDIR: temporary },
  },
);
// The runner stops by itself, and then the folder goes: it may be in memory.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => vitest.kill(signal));
const [status] = await once(vitest, 'close');
await endLeftovers(folder);
let counts = { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, testResults: [] };
try {
  counts = JSON.parse(readFileSync(report, 'utf8'));
} catch {
  // No report means the runner itself fell over: that is one failure, not zero.
}
try {
  // What a run that was stopped left behind may still write for a moment.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
} catch (error) {
  console.error(`Could not remove ${folder}: ${error.message}`);
}
// Named again at the end: where only the tail of a log is kept, the failures are in it.
for (const file of counts.testResults) {
  if (file.status !== 'failed') continue;
  const tests = file.assertionResults.filter(({ status }) => status === 'failed');
  if (tests.length === 0) console.log(`FAILED ${file.name}: ${file.message}`.slice(0, 1000));
  for (const test of tests) {
    const [message = ''] = test.failureMessages;
    console.log(`FAILED ${file.name} > ${test.fullName}\n${message.slice(0, 1000)}`);
  }
}
const failed = status === 0 ? 0 : Math.max(1, counts.numFailedTests);
const skipped = counts.numPendingTests > 0 ? `, ${counts.numPendingTests} skipped` : '';
console.log(`${counts.numPassedTests} passed, ${failed} failed${skipped}`);
process.exit(status ?? 1);
