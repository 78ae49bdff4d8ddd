// One command where its copy lies, on systems or in cases without mounts: there is nothing between it and the machine but
// what its line of programs puts there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { freePort } from '../../platform/free-port.ts';
import type { StartWorld } from '../backend.ts';
import { makePrivateFolders } from '../copy/private-folders.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import type { Limits } from '../limits.ts';
import { openProxy, proxyEnvironment } from '../network/proxy.ts';
import type { OpenDoor } from '../network/doors.ts';
import type { RefusedHost } from '../network/policy.ts';
import { hasEnded, runPrepared } from '../running.ts';
import type { SandboxProcess, SandboxRequest } from '../sandbox.ts';
import { toolFolders } from '../tool-folders.ts';
import type { ToolFolders } from '../tool-folders.ts';
import type { CommandProcesses } from './processes.ts';

export interface InPlace {
  /** Where the command runs. */
  folder: { path: string; isReadOnly: boolean; shown: readonly string[] };
  home: string;
  temp: string;
  tools: ToolFolders;
  /** That lead out. */
  ports: readonly number[];
  limits: Limits;
}

export interface InPlaceWalls {
  /** The policy of the network is held: by a proxy, and by walls that leave no other way. */
  holdsNetwork: boolean;
  isInSystemFolder(path: string): boolean;
  line(place: InPlace, request: SandboxRequest, world: StartWorld): readonly [string, ...string[]];
  /** In the environment of all that the command starts. */
  mark: Readonly<Record<string, string>>;
  processes(first: number): CommandProcesses;
}

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
  { holdsNetwork }: InPlaceWalls,
  onRefused: (host: RefusedHost) => void,
): Promise<{ ports: number[]; proxyPort: number | undefined; opened: OpenDoor[] }> {
  const opened: OpenDoor[] = [];
  const ports: number[] = [];
  let proxyPort: number | undefined;
  if (network.kind === 'hosts' && holdsNetwork) {
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

export async function startInPlace(
  request: SandboxRequest,
  world: StartWorld,
  walls: InPlaceWalls,
): Promise<SandboxProcess> {
  const limits: Limits = { ...DEFAULT_LIMITS, ...request.limits };
  const place = placeOf(request);
  const user = { uid: process.getuid!(), gid: process.getgid!() };
  const own = makePrivateFolders(world.workplace, user, request.home?.path);
  const tools = toolFolders({
    searchPath: request.environment['PATH'] ?? '',
    home: world.home,
    kept: [place.path, world.stateFolder],
    isOfSystem: walls.isInSystemFolder,
  });
  const refused = new Map<string, RefusedHost>();
  const { ports, proxyPort, opened } = await openDoors(request, world, walls, (host) =>
    refused.set(`${host.host} ${host.reason}`, host),
  );
  const inPlace = { folder: place, home: own.home, temp: own.temp, tools, ports, limits };
  const environment = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...tools.environment,
    ...request.environment,
    ...(proxyPort !== undefined && proxyEnvironment(proxyPort)),
    HOME: own.home,
    TMPDIR: own.temp,
    USER: 'sandbox',
    LOGNAME: 'sandbox',
    ...walls.mark,
  };
  const [program, ...line] = walls.line(inPlace, request, world);
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
      const child = spawn(program, line, options);
      if (child.pid !== undefined) processes = walls.processes(child.pid);
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
    // Hundredths of a second.
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
