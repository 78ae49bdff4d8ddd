// All processes that a command started. Its process group is not enough: a daemon leaves the group
// with setsid, and once its parent is gone nothing in the process table leads back to it but the
// mark in its environment. Only what is found in one of these ways is ever signalled.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { COMMAND_MARK } from './command-env.ts';

export interface ProcessTree {
  /** The first process, which leads the group. */
  pid: number;
  mark: string;
  /** Seen before, with the time of their start: their parents may be gone by the next look. */
  known: Map<number, string>;
}

export function treeOf(pid: number, mark: string): ProcessTree {
  return { pid, mark, known: new Map() };
}

interface Entry {
  pid: number;
  parent: number;
  group: number;
  session: number;
  startedAt: string;
}

/** After a SIGTERM, before a SIGKILL. */
export const GRACE_MS = 5000;
/** A process in an uninterruptible wait cannot be ended at all: we do not wait for it for ever. */
const GONE_MS = 5000;
const LOOK_EVERY_MS = 50;

function readEntry(pid: number): Entry | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name is in brackets and may hold anything, brackets too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  if (state === 'Z' || state === 'X') return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: fields[19] ?? '',
  };
}

function hasMark(pid: number, mark: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return environment.some(
      (entry) => entry.startsWith(`${COMMAND_MARK}=`) && entry.includes(mark),
    );
  } catch {
    return false;
  }
}

function linuxMembers({ pid, mark, known }: ProcessTree): number[] {
  const entries = readdirSync('/proc').flatMap((name) => {
    const entry = /^\d+$/.test(name) ? readEntry(Number(name)) : undefined;
    return entry === undefined || entry.pid === process.pid ? [] : [entry];
  });
  const found = new Set<number>();
  for (const entry of entries) {
    // A number alone may be another process by now.
    const isKnown = known.get(entry.pid) === entry.startedAt;
    const isOurs = entry.group === pid || entry.session === pid;
    if (isKnown || isOurs || hasMark(entry.pid, mark)) found.add(entry.pid);
  }
  // Children of those found, and theirs, whatever they did to their environment.
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const entry of entries) if (found.has(entry.parent)) found.add(entry.pid);
  }
  for (const entry of entries) if (found.has(entry.pid)) known.set(entry.pid, entry.startedAt);
  return [...found];
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function signalTree(tree: ProcessTree, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    const force = signal === 'SIGKILL' ? ['/F'] : [];
    spawnSync('taskkill', ['/PID', String(tree.pid), '/T', ...force], { windowsHide: true });
  } else if (process.platform === 'linux') {
    for (const pid of linuxMembers(tree)) send(pid, signal);
  } else send(-tree.pid, signal);
}

function isAlive(tree: ProcessTree): boolean {
  if (process.platform === 'linux') return linuxMembers(tree).length > 0;
  return send(process.platform === 'win32' ? tree.pid : -tree.pid, 0);
}

async function isGoneWithin(tree: ProcessTree, ms: number, again?: () => void): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (isAlive(tree)) {
    if (performance.now() >= deadline) return false;
    await delay(LOOK_EVERY_MS);
    again?.();
  }
  return true;
}

/** Ends them without waiting: for a process that is about to end itself. */
export function killTree(tree: ProcessTree): void {
  signalTree(tree, 'SIGKILL');
}

/** Ends them all; false when one of them is still there. */
export async function endTree(tree: ProcessTree, graceMs: number = GRACE_MS): Promise<boolean> {
  signalTree(tree, 'SIGTERM');
  if (await isGoneWithin(tree, graceMs)) return true;
  signalTree(tree, 'SIGKILL');
  // Again with every look: one may have forked between the look and the signal.
  return isGoneWithin(tree, GONE_MS, () => signalTree(tree, 'SIGKILL'));
}
