// What goes wrong in a chaos run. Each strike breaks something, and returns when it is whole again.
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../test/support/processes.ts';
import type { Random } from '../test/support/chaos/random.ts';
import { MAY_MOUNT } from './disk.ts';
import { MAY_SPLIT } from './network.ts';
import { HAS_FAKE_TIME } from './node.ts';
import type { ChaosNode } from './node.ts';
import type { World } from './world.ts';

export interface Nemesis {
  name: string;
  /** Undefined: it can be used here. Otherwise why not. */
  missing?: string | undefined;
  strike(world: World, random: Random): Promise<void>;
}

const some = (world: World, random: Random, role: ChaosNode['role']) =>
  random.pick(world.nodes.filter((node) => node.role === role));

async function killAndStart(node: ChaosNode, random: Random): Promise<void> {
  await node.kill('SIGKILL');
  await delay(random.between(0, 3000));
  await node.start();
}

async function freezeFor(node: ChaosNode, ms: number): Promise<void> {
  node.freeze();
  await delay(ms);
  node.thaw();
}

/** The postmaster and its backends: it alone would only keep new connections out. */
function databaseProcesses(postmaster: number): number[] {
  const isChild = (pid: string) => {
    try {
      return (
        readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] ===
        String(postmaster)
      );
    } catch {
      return false;
    }
  };
  const children = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isChild(pid));
  return [postmaster, ...children.map(Number)];
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // A backend that has ended meanwhile.
    }
  }
}

export const NEMESES: readonly Nemesis[] = [
  {
    name: 'kill-worker',
    strike: (world, random) => killAndStart(some(world, random, 'worker'), random),
  },
  {
    // Longer than a lease, mostly: when it goes on, its jobs have another owner.
    name: 'freeze-worker',
    strike: (world, random) =>
      freezeFor(some(world, random, 'worker'), random.between(2000, 14_000)),
  },
  {
    name: 'kill-api',
    strike: (world, random) => killAndStart(some(world, random, 'api'), random),
  },
  {
    name: 'freeze-api',
    strike: (world, random) => freezeFor(some(world, random, 'api'), random.between(1000, 8000)),
  },
  {
    name: 'kill-database',
    async strike({ database, crashes }) {
      const before = database.pid;
      const from = performance.now();
      process.kill(before, 'SIGKILL');
      while (database.pid === before) await delay(50);
      crashes.push({ from, to: performance.now() });
    },
  },
  {
    name: 'freeze-database',
    async strike({ database }, random) {
      const pids = databaseProcesses(database.pid);
      signalAll(pids, 'SIGSTOP');
      await delay(random.between(1000, 5000));
      signalAll(pids, 'SIGCONT');
    },
  },
  {
    // Nobody is told that the connections are dead.
    name: 'half-open',
    async strike(world, random) {
      const node = random.pick(world.nodes);
      node.proxy.silence();
      await delay(random.between(3000, 12_000));
      node.proxy.restore();
    },
  },
  {
    name: 'sever',
    async strike(world, random) {
      const node = random.pick(world.nodes);
      node.proxy.sever();
      await delay(random.between(200, 4000));
      node.proxy.restore();
    },
  },
  {
    name: 'pulled-cable',
    missing: MAY_SPLIT ? undefined : 'no network name space can be made here',
    async strike(world, random) {
      const network = world.nodes.find((node) => node.network !== undefined)!.network!;
      await network.pull();
      await delay(random.between(2000, 15_000));
      await network.plug();
    },
  },
  {
    name: 'full-disk',
    missing: MAY_MOUNT ? undefined : 'no disk in memory can be mounted here',
    async strike({ disk, db, crashes }, random) {
      // With no room for its log the database ends all sessions and starts anew, as after a crash.
      const from = performance.now();
      await disk!.fill();
      await delay(random.between(1000, 6000));
      await disk!.clear();
      await waitUntil(() => db.query('select 1').then(Boolean, () => false), 'the database');
      crashes.push({ from, to: performance.now() });
    },
  },
  {
    name: 'restart-storm',
    async strike(world, random) {
      for (let count = 0; count < 4; count++) {
        const node = random.pick(world.nodes);
        await node.kill('SIGTERM');
        await node.start();
      }
    },
  },
  {
    name: 'wrong-clock',
    missing: HAS_FAKE_TIME ? undefined : 'faketime is not installed',
    async strike(world, random) {
      const node = random.pick(world.nodes);
      await node.kill('SIGTERM');
      await node.start(random.pick(['+1h', '-1h']));
      await delay(random.between(3000, 8000));
      await node.kill('SIGKILL');
      await node.start();
    },
  },
  {
    name: 'receiver-faults',
    async strike({ receiver }, random) {
      const how = random.pick(['error', 'hang', 'reset'] as const);
      receiver.answer('/hook', (response) => {
        if (how === 'error') response.writeHead(500).end();
        if (how === 'reset') response.destroy();
      });
      await delay(random.between(2000, 6000));
      receiver.answer('/hook', (response) => void response.end('ok'));
    },
  },
];
