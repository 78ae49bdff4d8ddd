// No sandbox: where none can be had, and a person has said that it may be done without. A command runs in its copy, in a
// process group, with a home and an environment of its own. It can do whatever the person can.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Backend } from '../backend.ts';
import { createCommandProcesses } from '../in-place/processes.ts';
import { startInPlace } from '../in-place/start.ts';
import { listOfProc } from './processes.ts';

const MARK = 'MILLRACE_WITHOUT_SANDBOX';
/** Of Linux: the command itself ends with us, however we end. */
const SETPRIV = '/usr/bin/setpriv';

export const withoutBackend = (): Backend => ({
  name: 'no sandbox',
  missing: undefined,
  lacks: ['no sandbox: commands can read and write whatever you can'],
  nodeInside: (node) => node,
  mountRights: async () => undefined,
  hasMounts: false,
  start(request, world) {
    const mark = randomUUID();
    const isLinux = process.platform === 'linux';
    const ends = isLinux && existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'SIGKILL', '--'] : [];
    return startInPlace(request, world, {
      holdsNetwork: false,
      isInSystemFolder: () => false,
      line: () => [...ends, ...request.command] as [string, ...string[]],
      mark: { [MARK]: mark },
      processes: (first) =>
        isLinux ? createCommandProcesses(first, listOfProc(mark)) : createCommandProcesses(first),
    });
  },
});
