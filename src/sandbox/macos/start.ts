// One command in a sandbox of sandbox-exec. There are no mounts: the command runs in its copy, where that lies.
import { existsSync } from 'node:fs';
import type { Backend } from '../backend.ts';
import { createCommandProcesses } from '../in-place/processes.ts';
import { startInPlace } from '../in-place/start.ts';
import type { InPlaceWalls } from '../in-place/start.ts';
import { isInSystemFolder, sandboxProfile } from './profile.ts';

/** Never from the search path, which may lead into a project. */
const PROGRAM = '/usr/bin/sandbox-exec';
/** In blocks of 512 bytes. No other limit of a shell holds for a tree of processes here. */
const LIMITED = 'ulimit -c 0; ulimit -f "$1"; shift; exec "$@"';
const BLOCK = 512;
const SPARE_BYTES = 1024 ** 3;

const WALLS: InPlaceWalls = {
  holdsNetwork: true,
  isInSystemFolder,
  line({ folder, home, temp, tools, ports, limits }, request, world) {
    const profile = sandboxProfile({
      folder,
      home,
      temp,
      readable: [
        ...tools.folders.flatMap(({ source, path }) => [source, path]),
        ...(request.programs ?? []),
        world.node,
      ],
      stateFolder: world.stateFolder,
      shownOfState: folder.shown,
      ports,
      hasNetwork: request.network.kind === 'hosts',
    });
    const blocks = Math.floor((limits.diskBytes + SPARE_BYTES) / BLOCK);
    const line = ['/bin/sh', '-c', LIMITED, 'sh', String(blocks), ...request.command];
    return [PROGRAM, '-p', profile, ...line];
  },
  mark: {},
  processes: (first) => createCommandProcesses(first),
};

export const macosBackend = (): Backend => ({
  name: 'sandbox-exec',
  missing: existsSync(PROGRAM) ? undefined : `${PROGRAM} is missing: it is a part of macOS.`,
  lacks: [
    'no limits held by the kernel: memory and processes are read several times a second',
    'commands run at the path of their copy, and share the loopback of this machine',
  ],
  nodeInside: (node) => node,
  mountRights: async () => undefined,
  hasMounts: false,
  start: (request, world) => startInPlace(request, world, WALLS),
});
