// A submit of a review that is killed: node crash-review.ts ROOT, as soon as it checks what is left; with VERDICT and
// STEP, right before that change of the disk. Where there are fewer, it says how many.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { ReviewVerdict } from '../../src/contract/review-api.ts';

const [root = '', verdict, step] = process.argv.slice(2);
const kill = () => process.kill(process.pid, 'SIGKILL');

let steps = 0;
function count(): void {
  steps += 1;
  if (steps === Number(step)) kill();
}

type Call = (...given: unknown[]) => unknown;
function wrap(of: object, names: readonly string[]): void {
  const calls = of as Record<string, Call>;
  for (const name of names) {
    const call = calls[name]!;
    calls[name] = (...given) => {
      count();
      return call(...given);
    };
  }
}

if (verdict !== undefined) {
  wrap(fs.promises, ['rename', 'rm', 'unlink', 'open', 'mkdir', 'writeFile', 'rmdir']);
  wrap(fs, ['renameSync', 'writeFileSync', 'unlinkSync', 'rmSync', 'mkdirSync']);
  syncBuiltinESMExports();
}
const { submit } = await import('./review-project.ts');
if (verdict === undefined) await submit(root, { onCommand: kill });
else {
  await submit(root, { verdict: verdict as ReviewVerdict });
  process.stdout.write(String(steps));
}
