// A run of the built-in agent that is killed right at the nth event of a type: node crash-loop.ts ROOT URL KEY HOME TYPE N
import { join } from 'node:path';
import { runManifest } from '../../src/orchestrator/run/run.ts';
import { optionsFor } from '../orchestrator/project.ts';

const [root = '', url = '', key = '', home = '', type = '', count = '1'] = process.argv.slice(2);
let left = Number(count);
await runManifest(
  optionsFor(
    root,
    { url, key },
    {
      agents: { programs: new Map(), place: { stateHome: join(home, 'state'), home } },
      onEvent: (event) => {
        if (event.type === type && --left === 0) process.kill(process.pid, 'SIGKILL');
      },
    },
  ),
);
