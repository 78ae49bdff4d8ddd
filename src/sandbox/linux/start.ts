// One command in a sandbox of bubblewrap, from its start to the end of its last process.
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { isInside } from '../../platform/inside-folder.ts';
import { makePrivateFolders } from '../copy/copy.ts';
import { DEFAULT_LIMITS, limitText } from '../limits.ts';
import type { LimitName, Limits } from '../limits.ts';
import type { OpenDoor } from '../network/doors.ts';
import { forwardedLine } from '../network/forwarder.ts';
import type { Forward } from '../network/forwarder.ts';
import { openProxy, PROXY_PORT, proxyEnvironment } from '../network/proxy.ts';
import type { Reach } from '../network/proxy.ts';
import type { RefusedHost } from '../network/policy.ts';
import type { Ending, SandboxProcess, SandboxRequest } from '../sandbox.ts';
import { watchLimits } from '../watch.ts';
import type { Workplace } from '../workplace.ts';
import { INSIDE, bubblewrapArguments } from './arguments.ts';
import type { Binding } from './arguments.ts';
import { endsWithUs, limitedLine, startLine } from './launch.ts';
import type { MountRights, OverlayMount } from './launch.ts';
import { processesBelow } from './processes-inside.ts';
import type { Programs } from './programs.ts';
import { seccompFilter } from './seccomp.ts';
import { toolFolders } from './tool-folders.ts';

export interface BubblewrapWorld {
  workplace: Workplace;
  programs: Programs;
  rights: MountRights;
  home: string;
  stateFolder: string;
  reach: Reach;
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

/** Counts what passes; what is more than the limit is dropped. */
function counted(stream: Readable, onBytes: (bytes: number) => boolean): Readable {
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, onBytes(chunk.length) ? chunk : undefined);
    },
  });
  stream.on('error', () => counter.end());
  return stream.pipe(counter);
}

interface Report {
  exitCode?: number;
}

/** What bubblewrap reported: lines of JSON, the last of them with the exit code when the command ran. */
function exitCodeOf(report: string): number | undefined {
  for (const line of report.split('\n').toReversed()) {
    if (line === '') continue;
    try {
      const { 'exit-code': exitCode } = JSON.parse(line) as Report & { 'exit-code'?: number };
      if (exitCode !== undefined) return exitCode;
    } catch {
      // Cut off when it was ended.
    }
  }
  return undefined;
}

/** The first process of the outer process namespace: with it all others end. */
function killAll(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const [first] = processesBelow(child.pid);
  try {
    // Its parent waits until the kernel has ended the others, too.
    process.kill(first ?? child.pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

const KEPT_ERRORS = 2000;

export async function startBubblewrap(
  request: SandboxRequest,
  world: BubblewrapWorld,
): Promise<SandboxProcess> {
  const { workplace, programs, rights } = world;
  const limits: Limits = { ...DEFAULT_LIMITS, ...request.limits };
  const place = placeOf(request);
  const user = { uid: process.getuid!(), gid: process.getgid!() };
  const own = makePrivateFolders(workplace, user);
  const tools = toolFolders({
    searchPath: request.environment['PATH'] ?? '',
    home: world.home,
    kept: [place.folder, world.stateFolder],
  });
  const refused = new Map<string, RefusedHost>();
  const { forwards, doors } = await openDoors(request, own.sockets, world, (host) =>
    refused.set(`${host.host} ${host.reason}`, host),
  );
  const filter = seccompFilter();
  const filterFile = join(own.accounts, 'filter');
  writeFileSync(filterFile, filter ?? '');
  const node = { source: world.node, path: `${INSIDE.own}/node`, isReadOnly: true };
  const view = bubblewrapArguments(
    {
      folder: place.folder,
      ...own,
      user,
      sharedMemory: Math.min(limits.memoryBytes, limits.diskBytes),
      bindings: [
        ...tools.folders.map(({ source, path }) => ({ source, path, isReadOnly: true })),
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
  const descriptors = [filterFile, viewFile].map((path) => openSync(path, 'r'));
  const child = startLine(
    {
      programs,
      rights,
      workFolder: workplace.path,
      overlays: place.overlays,
      line: endsWithUs(programs, limits.processes, bubblewrap),
      environment: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        ...tools.environment,
        ...request.environment,
        ...(request.network.kind === 'hosts' ? proxyEnvironment(PROXY_PORT) : {}),
        HOME: INSIDE.home,
        TMPDIR: '/tmp',
        USER: 'sandbox',
        LOGNAME: 'sandbox',
      },
    },
    ['pipe', ...descriptors],
  );
  for (const descriptor of descriptors) closeSync(descriptor);
  const over = Promise.withResolvers<Ending>();
  let first: Ending | undefined;
  function endBy(ending: Ending): void {
    first ??= ending;
    killAll(child);
  }
  const passed = (limit: LimitName) =>
    endBy({ kind: 'limit', limit, text: limitText(limit, limits) });

  let printed = 0;
  const onBytes = (bytes: number) => {
    printed += bytes;
    if (printed > limits.outputBytes) passed('output');
    return printed <= limits.outputBytes;
  };
  const stdout = counted(child.stdout!, onBytes);
  const stderr = counted(child.stderr!, onBytes);
  let errors = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    if (errors.length < KEPT_ERRORS) errors += chunk.toString();
  });
  child.stdin!.on('error', () => undefined);
  const report = text(child.stdio[3] as Readable).catch(() => '');

  const stopWatch =
    child.pid === undefined
      ? () => undefined
      : watchLimits({
          pid: child.pid,
          limits,
          folders: [own.home, own.temp, ...place.written],
          startBytes: place.startBytes,
          onLimit: passed,
        });
  const onAbort = () => endBy({ kind: 'cancelled' });
  request.signal?.addEventListener('abort', onAbort, { once: true });
  if (request.signal?.aborted) onAbort();

  async function finish(): Promise<Ending> {
    try {
      await once(child, 'exit');
    } catch (error) {
      return { kind: 'unstartable', message: (error as Error).message };
    } finally {
      stopWatch();
      request.signal?.removeEventListener('abort', onAbort);
      await Promise.all(doors.map((door) => door.close()));
    }
    const exitCode = exitCodeOf(await report);
    own.remove();
    if (first !== undefined) return first;
    if (exitCode !== undefined) return { kind: 'exited', exitCode };
    return { kind: 'unstartable', message: errors.slice(0, KEPT_ERRORS).trim() };
  }
  finish().then(over.resolve, over.reject);

  return {
    stdin: child.stdin!,
    stdout,
    stderr,
    ended: over.promise,
    refused: () => [...refused.values()],
    kill: () => endBy({ kind: 'cancelled' }),
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
