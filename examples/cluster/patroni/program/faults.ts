// What can happen to a member of the database. Each fault strikes, waits until the clients are served again, undoes
// what it did, and waits until both members are what they were: a primary, and a standby that has every commit.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../../../test/support/processes.ts';
import { holdFileOf } from '../../program/keep-running.ts';
import { FOLDER } from '../../program/layout.ts';
import { pidOf } from '../../program/nodes.ts';
import { MEMBERS, findMember, isRole, postmasterOf } from './members.ts';
import type { Member } from './members.ts';
import { MAY_CUT, cutOff, plugIn } from './network.ts';

const STANDSTILL_MS = 28_000;
/** Longer than Patroni takes to see that a member is gone. */
const CUT_MS = 30_000;
const CALM_MS = 5000;
const WHOLE_MS = 120_000;

export interface Served {
  /** Until a job is accepted that was not asked for before. */
  nextAccepted(): Promise<void>;
}

export interface Fault {
  name: string;
  what: string;
  /** Why it cannot be had here. */
  missing?: string | undefined;
  strike(served: Served, say: (what: string) => void): Promise<void>;
}

const otherThan = (member: Member) => MEMBERS.find(({ name }) => name !== member.name)!;
const primary = () => waitUntil(() => findMember('primary'), 'a primary');
const standby = () => waitUntil(() => findMember('synchronous'), 'a standby');

/** What undoes the fault of this moment, for a run that is stopped in the middle of it. */
const open = new Set<() => void>();

export function endFaults(): void {
  for (const undo of open) undo();
}

function signalAll(pids: Iterable<number>, signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself.
    }
  }
}

/** Of a postmaster that is gone there are none. */
function childrenOf(pid: number): number[] {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).trim().split('\n').map(Number);
  } catch {
    return [];
  }
}

/** Every process of a member: Patroni first, which would start the database again, and backends that start meanwhile. */
function signalMember(member: Member, signal: 'SIGKILL' | 'SIGSTOP'): number[] {
  const postmaster = postmasterOf(member);
  const parents = [pidOf(FOLDER, member.name), postmaster];
  const backends = new Set(childrenOf(postmaster));
  signalAll(parents, signal);
  for (const pid of childrenOf(postmaster)) backends.add(pid);
  signalAll(backends, signal);
  return [...parents, ...backends];
}

interface Loss {
  begin(member: Member): void;
  end(member: Member): void;
  /** At the earliest. */
  endAfterMs?: number;
}

/** A fault of the primary: it happens, the other member takes over, it is over. */
async function loseThePrimary(
  served: Served,
  say: (what: string) => void,
  { begin, end, endAfterMs = 0 }: Loss,
): Promise<void> {
  const old = await primary();
  const next = otherThan(old);
  const undo = () => end(old);
  const began = performance.now();
  open.add(undo);
  begin(old);
  try {
    await waitUntil(() => isRole(next, 'primary'), 'a new primary');
    say(`${next.name} is the primary`);
    await served.nextAccepted();
    say('jobs are accepted');
    await delay(CALM_MS);
    await delay(Math.max(0, began + endAfterMs - performance.now()));
  } finally {
    undo();
    open.delete(undo);
  }
  say('it is over');
}

async function kill(served: Served, say: (what: string) => void): Promise<void> {
  await loseThePrimary(served, say, {
    begin(member) {
      writeFileSync(holdFileOf(FOLDER, member.name), '');
      signalMember(member, 'SIGKILL');
    },
    end: ({ name }) => rmSync(holdFileOf(FOLDER, name), { force: true }),
  });
}

async function cutPrimary(served: Served, say: (what: string) => void): Promise<void> {
  await loseThePrimary(served, say, {
    begin: ({ place }) => cutOff(place),
    end: ({ place }) => plugIn(place),
  });
}

async function standStill(served: Served, say: (what: string) => void): Promise<void> {
  let pids: number[] = [];
  await loseThePrimary(served, say, {
    begin(member) {
      pids = signalMember(member, 'SIGSTOP');
    },
    end: () => signalAll(pids, 'SIGCONT'),
    endAfterMs: STANDSTILL_MS,
  });
}

async function cutStandby(_: Served, say: (what: string) => void): Promise<void> {
  const { place } = await standby();
  const undo = () => plugIn(place);
  open.add(undo);
  cutOff(place);
  try {
    await delay(CUT_MS);
  } finally {
    undo();
    open.delete(undo);
  }
  say('it is over');
}

async function switchover(served: Served, say: (what: string) => void): Promise<void> {
  const old = await primary();
  const next = otherThan(old);
  const response = await fetch(`http://${old.host}:${old.apiPort}/switchover`, {
    method: 'POST',
    body: JSON.stringify({ leader: old.name, candidate: next.name }),
  });
  if (!response.ok) throw new Error(`No switchover: ${await response.text()}`);
  await waitUntil(() => isRole(next, 'primary'), 'a new primary');
  say(`${next.name} is the primary`);
  await served.nextAccepted();
  say('jobs are accepted');
}

const missing = MAY_CUT ? undefined : 'it needs root, and `ip netns`';

export const FAULTS: readonly Fault[] = [
  { name: 'kill', what: 'the primary is gone at once, with all its processes', strike: kill },
  { name: 'cut-primary', what: 'the primary is cut off from the network', strike: cutPrimary, missing },
  { name: 'cut-standby', what: 'the standby is cut off from the network', strike: cutStandby, missing },
  { name: 'standstill', what: 'the primary stands still, and thaws', strike: standStill },
  { name: 'switchover', what: 'the standby takes over as planned', strike: switchover },
];

async function wholeMembers(): Promise<Member> {
  const found = await primary();
  const other = otherThan(found);
  await waitUntil(() => isRole(other, 'synchronous'), `${other.name} to be the standby`);
  await delay(CALM_MS);
  const isStill = (await isRole(found, 'primary')) && (await isRole(other, 'synchronous'));
  return isStill ? found : wholeMembers();
}

/** Both members are what they were, and stay so for a moment. Returns the primary. */
export async function untilWhole(): Promise<Member> {
  const late = delay(WHOLE_MS, undefined, { ref: false }).then(() => {
    throw new Error(`No primary with a synchronous standby after ${WHOLE_MS / 1000} s.`);
  });
  return Promise.race([wholeMembers(), late]);
}
