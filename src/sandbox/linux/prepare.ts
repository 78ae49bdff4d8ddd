// All that one command in a sandbox needs before it starts: private folders, doors, and the line of programs.
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../../platform/inside-folder.ts';
import { makePrivateFolders } from '../copy/private-folders.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import type { Limits } from '../limits.ts';
import type { OpenDoor } from '../network/doors.ts';
import { forwardedLine } from '../network/forwarder.ts';
import type { Forward } from '../network/forwarder.ts';
import { openProxy, PROXY_PORT, proxyEnvironment } from '../network/proxy.ts';
import type { Reach } from '../network/proxy.ts';
import type { RefusedHost } from '../network/policy.ts';
import type { Prepared } from '../running.ts';
import type { SandboxRequest } from '../sandbox.ts';
import { toolFolders } from '../tool-folders.ts';
import type { Workplace } from '../workplace.ts';
import { INSIDE } from '../inside.ts';
import { bubblewrapArguments } from './arguments.ts';
import type { Binding } from './arguments.ts';
import { createCgroup, inCgroup } from './cgroup.ts';
import type { Cgroup } from './cgroup.ts';
import { OVERHEAD, endsWithUs, limitedLine, startLine } from './launch.ts';
import type { MountRights, OverlayMount } from './launch.ts';
import type { Programs } from './programs.ts';
import { seccompFilter } from './seccomp.ts';
import { isInSystemFolder } from './system-folders.ts';

export interface BubblewrapWorld {
  workplace: Workplace;
  programs: Programs;
  rights: MountRights;
  home: string;
  stateFolder: string;
  reach: Reach;
  /** Where control groups can be created, if anywhere. */
  cgroups: string | undefined;
  /** Runs the forwarder inside. */
  node: string;
}

interface Place {
  folder: string;
  overlays: readonly OverlayMount[];
  bindings: readonly Binding[];
  written: readonly string[];
  startBytes: number;
}

function placeOf({ folder }: SandboxRequest): Place {
  if (folder.kind === 'copy') return { folder: folder.copy.folder, ...folder.copy.mounts };
  const { path } = folder;
  const isReadOnly = folder.kind === 'read-only';
  const bindings = [{ source: path, path, isReadOnly }];
  return { folder: path, overlays: [], bindings, written: [], startBytes: 0 };
}

export interface BubblewrapPrepared extends Pick<
  Prepared,
  'limits' | 'written' | 'startBytes' | 'refused' | 'start' | 'close'
> {
  /** Undefined where the kernel holds no limits of all processes together. */
  cgroup: Cgroup | undefined;
}

export async function prepare(
  request: SandboxRequest,
  world: BubblewrapWorld,
): Promise<BubblewrapPrepared> {
  const { workplace, programs, rights } = world;
  const limits: Limits = { ...DEFAULT_LIMITS, ...request.limits };
  const place = placeOf(request);
  const user = { uid: process.getuid!(), gid: process.getgid!() };
  const own = makePrivateFolders(workplace, user, request.home?.path);
  const tools = toolFolders({
    searchPath: request.environment['PATH'] ?? '',
    home: world.home,
    kept: [place.folder, world.stateFolder],
    isOfSystem: isInSystemFolder,
  });
  const refused = new Map<string, RefusedHost>();
  const { forwards, doors } = await openDoors(request, own.sockets, world, (host) =>
    refused.set(`${host.host} ${host.reason}`, host),
  );
  const filter = seccompFilter();
  const filterFile = join(own.accounts, 'filter');
  writeFileSync(filterFile, filter ?? '');
  const node = { source: world.node, path: INSIDE.node, isReadOnly: true };
  const view = bubblewrapArguments(
    {
      folder: place.folder,
      ...own,
      user,
      sharedMemory: Math.min(limits.memoryBytes, limits.diskBytes),
      bindings: [
        ...tools.folders.map(({ source, path }) => ({ source, path, isReadOnly: true })),
        ...(request.programs ?? []).map((path) => ({ source: path, path, isReadOnly: true })),
        ...place.bindings,
        ...(forwards.length > 0
          ? [node, { source: own.sockets, path: `${INSIDE.own}/sockets`, isReadOnly: true }]
          : []),
      ],
      // A project that has our state in it, as a home folder does.
      emptied: isInside(place.folder, world.stateFolder) ? [world.stateFolder] : [],
    },
    existsSync,
  );
  const command = forwardedLine(node.path, forwards, request.command);
  const bubblewrap = [
    programs.bwrap,
    '--json-status-fd',
    '3',
    ...(filter === undefined ? [] : ['--seccomp', '4']),
    '--args',
    '5',
    '--',
    ...limitedLine(programs, limits, command),
  ];
  const viewFile = join(own.accounts, 'arguments');
  writeFileSync(viewFile, view.map((word) => `${word}\0`).join(''));
  const environment = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...tools.environment,
    ...request.environment,
    ...(request.network.kind === 'hosts' ? proxyEnvironment(PROXY_PORT) : {}),
    HOME: INSIDE.home,
    TMPDIR: '/tmp',
    USER: 'sandbox',
    LOGNAME: 'sandbox',
  };
  const line = endsWithUs(programs, limits.processes, bubblewrap);
  const { overlays } = place;
  const cgroup =
    world.cgroups === undefined
      ? undefined
      : createCgroup(world.cgroups, { ...limits, processes: limits.processes + OVERHEAD });
  return {
    limits,
    cgroup,
    written: [own.home, own.temp, ...place.written],
    startBytes: place.startBytes,
    refused,
    start() {
      const descriptors = [filterFile, viewFile].map((path) => openSync(path, 'r'));
      const launch = { programs, rights, workFolder: workplace.path, overlays, line, environment };
      const enter = (chain: string[]) => (cgroup ? inCgroup(programs.sh, cgroup, chain) : chain);
      try {
        return startLine(launch, ['pipe', ...descriptors], enter);
      } finally {
        for (const descriptor of descriptors) closeSync(descriptor);
      }
    },
    async close() {
      await Promise.all(doors.map((door) => door.close()));
      own.remove();
      cgroup?.remove();
    },
  };
}

async function openDoors(
  { network, doors = [] }: SandboxRequest,
  sockets: string,
  { reach }: BubblewrapWorld,
  onRefused: (host: RefusedHost) => void,
): Promise<{ forwards: Forward[]; doors: OpenDoor[] }> {
  const proxy = {
    port: PROXY_PORT,
    open: (socket: string) =>
      openProxy(socket, {
        hosts: network.kind === 'hosts' ? network.hosts : [],
        reach,
        onRefused,
      }),
  };
  const forwards: Forward[] = [];
  const opened: OpenDoor[] = [];
  const all = network.kind === 'hosts' ? [proxy, ...doors] : doors;
  for (const { port, open } of all) {
    opened.push(await open(join(sockets, String(port))));
    forwards.push({ port, socket: `${INSIDE.own}/sockets/${port}` });
  }
  return { forwards, doors: opened };
}
