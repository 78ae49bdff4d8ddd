// One process of a server, as its supervisor sees it: from its start to its end.
import { fork } from 'node:child_process';
import type { Duplex } from 'node:stream';
import type { FromProcess, Start, StartFailure, ToProcess } from './messages.ts';
import { LINK_FD } from './link-fd.ts';
import type { SiblingHub } from './sibling-hub.ts';
import type { ProcessSpec } from './split.ts';
import { readWholeLines } from './whole-lines.ts';

export interface Ended {
  code: number | null;
  signal: string | null;
  /** Why it could not start, if it said so. */
  failure: StartFailure | undefined;
}

export interface Child {
  spec: ProcessSpec;
  pid: number;
  /** Where it answers, once it is ready; never settles for one that ends before. */
  ready: Promise<{ url: string | undefined; healthUrl: string | undefined }>;
  ended: Promise<Ended>;
  tell(message: ToProcess): void;
  kill(): void;
}

/** The program of a process. */
export interface ProcessEntry {
  path: string;
  env: NodeJS.ProcessEnv;
}

export interface ChildDeps {
  entry: ProcessEntry;
  hub: SiblingHub;
  /** Gets what it writes, a line or several. */
  write(lines: string): void;
  onMessage(child: Child, message: FromProcess): void;
}

export function nameOf({ kind, number }: ProcessSpec): string {
  return `${kind} ${number}`;
}

export function startChild(spec: ProcessSpec, start: Promise<Start>, deps: ChildDeps): Child {
  // What `ps` shows: which process is which.
  const args = [spec.kind, String(spec.number)];
  const forked = fork(deps.entry.path, args, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    env: deps.entry.env,
  });
  const { stdout, stderr, stdio } = forked;
  for (const stream of [stdout, stderr]) {
    if (stream) readWholeLines(stream, (lines) => deps.write(lines.toString()));
  }
  deps.hub.add(nameOf(spec), stdio[LINK_FD] as Duplex);
  const ready = Promise.withResolvers<Awaited<Child['ready']>>();
  const ended = Promise.withResolvers<Ended>();
  let failure: StartFailure | undefined;
  const child: Child = {
    spec,
    pid: forked.pid ?? 0,
    ready: ready.promise,
    ended: ended.promise,
    tell: (message) => {
      if (forked.connected) forked.send(message, () => {});
    },
    kill: () => void forked.kill('SIGKILL'),
  };
  forked.on('message', (message: FromProcess) => {
    if (message.kind === 'ready') ready.resolve(message);
    else if (message.kind === 'failed') failure = message.failure;
    else deps.onMessage(child, message);
  });
  forked.on('error', (error) => {
    const { message } = error;
    if (forked.pid !== undefined) return;
    failure = { code: 'FAILED', message: `Could not start a process: ${message}`, exit: 1 };
    ended.resolve({ code: null, signal: null, failure });
  });
  // Not before all that it wrote was read: its last words say why.
  forked.on('close', (code, signal) => ended.resolve({ code, signal, failure }));
  void start.then((known) => child.tell({ kind: 'start', start: known }));
  return child;
}
