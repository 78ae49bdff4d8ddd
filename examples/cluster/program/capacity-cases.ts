// What is measured for the capacity model in docs/scaling.md, each time with something else that is short, and what the
// model says of it.
import { reservedSlots } from '../../../src/domain/job/fair-queue.ts';
import type { CpuByPart } from './measured-cluster.ts';
import type { CoreShares } from './watch-core.ts';

/** What every job of a case asks for. */
export interface Work {
  model: string;
  prompt: string;
  maxTokens: number;
}

export interface Case {
  /** For `--only`. */
  id: string;
  name: string;
  short: 'slots' | 'workers' | 'database' | 'everything';
  slots: number;
  work: Work;
  /** Jobs that are kept waiting, so that no slot is ever free. */
  backlog: number;
  /** Of each worker, before it is measured: code that is not compiled yet costs more. */
  warmJobs: number;
  /** What each worker is held to, if it is, in cores. */
  workerCores?: number;
  /** The database has a core for itself, all else the others; nothing is submitted while it is measured. */
  isApart?: boolean;
}

/** What was measured at one point. */
export interface Point {
  rate: number;
  /** Share of the CPU that the host gave to other machines meanwhile. */
  stolen: number;
  /** CPU time of a fixed piece of work at the time: cores of a shared host change their speed. */
  pace: number;
  /** Of the core that is the database's where it has one for itself. */
  core: CoreShares;
  /** Of a job. */
  cost: CpuByPart;
}

const CALL_SECONDS = 1;
const AT_ONCE = {
  work: { model: 'sim-instant', prompt: 'x', maxTokens: 50 },
  slots: 64,
  backlog: 1500,
  warmJobs: 3000,
};

export const CASES: readonly Case[] = [
  {
    id: 'slots',
    name: `slots: 8 each, ${CALL_SECONDS} s a call`,
    short: 'slots',
    slots: 8,
    work: {
      model: 'sim-instant',
      prompt: `[[sim:delay ${CALL_SECONDS * 1000}]]`,
      maxTokens: 50,
    },
    backlog: 60,
    warmJobs: 0,
  },
  {
    id: 'text',
    name: 'CPU of workers: 0.2 core each, answers of 1,000 tokens as text',
    short: 'workers',
    workerCores: 0.2,
    slots: 64,
    work: { model: 'sim-fast', prompt: '[[sim:tokens 1000]]', maxTokens: 1000 },
    backlog: 200,
    warmJobs: 300,
  },
  {
    id: 'instant',
    name: 'CPU of workers: 0.1 core each, short answers at once',
    short: 'workers',
    workerCores: 0.1,
    ...AT_ONCE,
  },
  {
    id: 'database',
    name: 'CPU of the database: one core, jobs submitted before',
    short: 'database',
    isApart: true,
    ...AT_ONCE,
    // The commits of one worker must not be what is waited for.
    slots: 256,
    backlog: 120_000,
  },
  { id: 'everything', name: 'CPU of everything on this machine', short: 'everything', ...AT_ONCE },
];

/**
 * By the model: from the slots, or from what a job cost with one worker and from how much CPU of which speed there is
 * now. It has nothing to say where all share the same cores.
 */
export function predict(
  { short, slots, workerCores = 1 }: Case,
  workers: number,
  one: Point,
  now: Point,
): number | undefined {
  const coreMs = (1000 * one.pace) / now.pace;
  switch (short) {
    case 'slots':
      // The others are kept for teams that have nothing running.
      return (workers * (slots - reservedSlots(slots))) / CALL_SECONDS;
    case 'workers':
      return (workers * workerCores * coreMs) / one.cost.workers;
    case 'database':
      return ((1 - now.core.stolen) * coreMs) / one.cost.database;
    case 'everything':
      return undefined;
  }
}
