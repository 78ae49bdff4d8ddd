#!/usr/bin/env node
// The command `millrace`. Loads nothing of ours before it knows that this Node can run it: an older
// one would stop at the first thing it does not know, with a message that helps nobody.
import { argv, versions } from 'node:process';

const [major = 0, minor = 0] = versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 18)) {
  const given = argv.slice(2);
  const isSpare = given[0] === '--wait-for-words';
  const words = isSpare ? await (await import('./cli/spare-command.ts')).nextWords() : given;
  if (words !== undefined) {
    const { loadProgram } = await import('./cli/load-program.ts');
    const { run } = await loadProgram(words);
    process.exitCode = await run(words);
  }
} else {
  console.error(`Millrace needs Node 22.18 or newer; this is ${versions.node}.`);
  process.exitCode = 2;
}
