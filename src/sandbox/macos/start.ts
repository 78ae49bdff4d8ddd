// One command in a sandbox of sandbox-exec. There are no mounts: the command runs in its copy, where that lies.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { freePort } from '../../platform/free-port.ts';
import type { Backend, StartWorld } from '../backend.ts';
import { makePrivateFolders } from '../copy/private-folders.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import type { Limits } from '../limits.ts';
import { openProxy, proxyEnvironment } from '../network/proxy.ts';
import type { OpenDoor } from '../network/doors.ts';
import type { RefusedHost } from '../network/policy.ts';
import { hasEnded, runPrepared } from '../running.ts';
import type { SandboxProcess, SandboxRequest } from '../sandbox.ts';
import { toolFolders } from '../tool-folders.ts';
import { createCommandProcesses } from './processes.ts';
import type { CommandProcesses } from './processes.ts';
import { isInSystemFolder, sandboxProfile } from './profile.ts';

/** Never from the search path, which may lead into a project. */
const PROGRAM = '/usr/bin/sandbox-exec';
/** In blocks of 512 bytes. No other limit of a shell holds for a tree of processes here. */
const LIMITED = 'ulimit -c 0; ulimit -f "$1"; shift; exec "$@"';
const BLOCK = 512;
const SPARE_BYTES = 1024 ** 3;

function placeOf({ folder }: SandboxRequest) {
  if (folder.kind !== 'copy') {
    const path = realpathSync.native(folder.path);
    return { path, isReadOnly: folder.kind === 'read-only', shown: [], written: [], startBytes: 0 };
  }
  const { mounts } = folder.copy;
  const shown = mounts.bindings.map(({ source }) => source);
  return { path: folder.copy.runsIn, isReadOnly: false, shown, ...mounts };
}

async function openDoors(
  { network, doors = [] }: SandboxRequest,
  { reach }: StartWorld,
  onRefused: (host: RefusedHost) => void,
): Promise<{ ports: number[]; proxyPort: number | undefined; opened: OpenDoor[] }> {
  const opened: OpenDoor[] = [];
  const ports: number[] = [];
  let proxyPort: number | undefined;
  if (network.kind === 'hosts') {
    proxyPort = await freePort();
    opened.push(await openProxy(proxyPort, { hosts: network.hosts, reach, onRefused }));
    ports.push(proxyPort);
  }
  for (const door of doors) {
    opened.push(await door.open(door.port));
    ports.push(door.port);
  }
  return { ports, proxyPort, opened };
}

async function start(request: SandboxRequest, world: StartWorld): Promise<SandboxProcess> {
  const limits: Limits = { ...DEFAULT_LIMITS, ...request.limits };
  const place = placeOf(request);
  const own = makePrivateFolders(world.workplace, {
    uid: process.getuid!(),
    gid: process.getgid!(),
  });
  const tools = toolFolders({
    searchPath: request.environment['PATH'] ?? '',
    home: world.home,
    kept: [place.path, world.stateFolder],
    isOfSystem: isInSystemFolder,
  });
  const refused = new Map<string, RefusedHost>();
  const { ports, proxyPort, opened } = await openDoors(request, world, (host) =>
    refused.set(`${host.host} ${host.reason}`, host),
  );
  const profile = sandboxProfile({
    folder: place,
    home: own.home,
    temp: own.temp,
    readable: [
      ...tools.folders.flatMap(({ source, path }) => [source, path]),
      ...(request.programs ?? []),
      world.node,
    ],
    stateFolder: world.stateFolder,
    shownOfState: place.shown,
    ports,
    hasNetwork: request.network.kind === 'hosts',
  });
  const environment = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...tools.environment,
    ...request.environment,
    ...(proxyPort !== undefined && proxyEnvironment(proxyPort)),
    HOME: own.home,
    TMPDIR: own.temp,
    USER: 'sandbox',
    LOGNAME: 'sandbox',
  };
  const blocks = Math.floor((limits.diskBytes + SPARE_BYTES) / BLOCK);
  const line = ['/bin/sh', '-c', LIMITED, 'sh', String(blocks), ...request.command];
  let processes: CommandProcesses | undefined;
  const list = () => processes?.list() ?? [];
  return runPrepared(request, {
    limits,
    written: [own.home, own.temp, ...place.written],
    startBytes: place.startBytes,
    refused,
    start() {
      // A session of its own: no terminal, and a process group that ends as one.
      const options = { cwd: place.path, env: environment, detached: true } as const;
      const child = spawn(PROGRAM, ['-p', profile, ...line], options);
      if (child.pid !== undefined) processes = createCommandProcesses(child.pid);
      return child;
    },
    kill: () => processes?.kill(),
    isGone: () => list().length === 0,
    async exitCode(child) {
      if (!hasEnded(child)) await once(child, 'exit').catch(() => undefined);
      // What it left behind ends with it.
      processes?.kill();
      const { exitCode, signalCode } = child;
      return signalCode === null ? (exitCode ?? undefined) : 128 + constants.signals[signalCode];
    },
    // Hundredths of a second, as `ps` writes them.
    ticks: () => list().reduce((sum, each) => sum + each.ticks, 0),
    uses: () => ({
      usage() {
        const all = list();
        const memoryBytes = all.reduce((sum, each) => sum + each.memoryBytes, 0);
        return { processes: all.length, memoryBytes };
      },
      deletedBytes: () => 0,
    }),
    async close() {
      await Promise.all(opened.map((door) => door.close()));
      own.remove();
    },
  });
}

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
  start,
});
