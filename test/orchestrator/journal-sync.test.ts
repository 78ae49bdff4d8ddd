// An event of a run is on the disk, not only on its way there, when whoever appended it is told so. A killed process
// loses nothing that the system holds for it, so only the call itself can be looked for.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { fromRoot } from '../pins/tree.ts';

/** Before anything is loaded: whoever takes `fdatasync` from then on gets one that counts. */
const WATCH = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const real = fs.fdatasync;
globalThis.synced = 0;
fs.fdatasync = (fd, done) => real(fd, (error) => { globalThis.synced += 1; done(error); });
syncBuiltinESMExports();
`;

it('an appended event has been synced before its writer goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-sync-'));
  try {
    const journal = JSON.stringify(fromRoot('src/orchestrator/state/journal.ts'));
    await writeFile(join(folder, 'watch.mjs'), WATCH);
    await writeFile(
      join(folder, 'append.mjs'),
      `import { openJournal } from ${journal};
const journal = await openJournal(${JSON.stringify(join(folder, 'events.jsonl'))}, {
  now: () => new Date(),
  from: { seq: 0, bytes: 0 },
});
journal.append({ type: 'run.resumed' });
await journal.settled();
console.log(JSON.stringify({ synced: globalThis.synced }));
await journal.close();`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--import',
      join(folder, 'watch.mjs'),
      join(folder, 'append.mjs'),
    ]);
    expect(JSON.parse(stdout)).toEqual({ synced: 1 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
