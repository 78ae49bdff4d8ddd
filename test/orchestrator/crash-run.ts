// A run that is killed right at the event with this number, or the first of this type: node crash-run.ts ROOT URL KEY SEQ
import { optionsFor } from './project.ts';
import { runManifest } from '../../src/orchestrator/run/run.ts';

const [root = '', url = '', key = '', seq = '0'] = process.argv.slice(2);
await runManifest(
  optionsFor(
    root,
    { url, key },
    {
      concurrency: 2,
      onEvent: (event) => {
        if (event.seq === Number(seq) || event.type === seq) process.kill(process.pid, 'SIGKILL');
      },
    },
  ),
);
