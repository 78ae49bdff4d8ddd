// How the memory of each node goes while it runs. A node that is killed every few seconds says nothing about that:
// only those count that ran on for minutes, so it takes a long run with little that breaks.
import { readFileSync } from 'node:fs';
import type { Journal } from './journal.ts';
import type { ChaosNode } from './node.ts';

const EVERY_MS = 5000;
/** Caches fill and code is compiled first. */
const WARM_UP_MINUTES = 3;
const SHORTEST_MINUTES = 5;
const MOST_MIB_A_MINUTE = 1;

interface Sample {
  minutes: number;
  mib: number;
}

export interface MemoryWatch {
  stop(): void;
  /** By node: how fast it grew, where it ran long enough to tell. */
  slopes(): { name: string; mibAMinute: number }[];
  violations(): string[];
}

function residentMib(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  } catch {
    // It has just ended.
    return undefined;
  }
}

/** Of the straight line that fits best. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (pick: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
  const middle = mean(({ minutes }) => minutes);
  const level = mean(({ mib }) => mib);
  const spread = mean(({ minutes }) => (minutes - middle) ** 2);
  return mean(({ minutes, mib }) => (minutes - middle) * (mib - level)) / spread;
}

export function watchMemory(nodes: readonly ChaosNode[], journal: Journal): MemoryWatch {
  const begun = performance.now();
  const lives = new Map<string, Sample[]>();
  const timer = setInterval(() => {
    const now: Record<string, number> = {};
    for (const node of nodes) {
      const pid = node.pid();
      const mib = pid === undefined ? undefined : residentMib(pid);
      if (mib === undefined) continue;
      const life = `${node.name} (pid ${pid})`;
      const samples = lives.get(life) ?? [];
      lives.set(life, samples);
      samples.push({ minutes: (performance.now() - begun) / 60_000, mib });
      now[node.name] = Math.round(mib);
    }
    journal.note('memory', now);
  }, EVERY_MS);
  const slopes = () =>
    [...lives].flatMap(([name, samples]) => {
      const warmAt = samples[0]!.minutes + WARM_UP_MINUTES;
      const warm = samples.filter(({ minutes }) => minutes >= warmAt);
      const lasted = (warm.at(-1)?.minutes ?? 0) - warmAt;
      if (lasted < SHORTEST_MINUTES) return [];
      return [{ name, mibAMinute: Number(slopeOf(warm).toFixed(2)) }];
    });
  return {
    stop: () => clearInterval(timer),
    slopes,
    violations: () =>
      slopes()
        .filter(({ mibAMinute }) => mibAMinute > MOST_MIB_A_MINUTE)
        .map(({ name, mibAMinute }) => `I12: ${name} grew by ${mibAMinute} MiB a minute`),
  };
}
