// A run on a branch, for tests that kill it: node branch-run.ts ROOT URL KEY
import { chooseBranch, runManifest } from '../../src/orchestrator/index.ts';
import { optionsFor } from '../orchestrator/project.ts';

const [root = '', url = '', key = ''] = process.argv.slice(2);
const options = optionsFor(root, { url, key }, { concurrency: 2 });
const branch = await chooseBranch(options, {
  name: undefined,
  file: 'millrace.yaml',
  manifest: 'test',
});
const end = await runManifest({
  ...options,
  git: { kind: 'branch', branch, signsOff: false, copies: [] },
  onEvent: ({ seq, type }) => {
    if (seq > 0) process.stdout.write(`${seq} ${type}\n`);
  },
});
process.exitCode = end.status === 'complete' ? 0 : 1;
