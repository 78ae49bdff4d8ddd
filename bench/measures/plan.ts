// P10: planning a very large manifest, beside following its dependencies alone.
// P11: how long a run takes under the ready queue, beside the least it could take.
import { findWaves, toGraph } from '../../src/manifest/graph.ts';
import { planStreams } from '../../src/manifest/plan.ts';
import { readStreamGraph } from '../../src/manifest/stream-graph.ts';
import type { StreamShape } from '../../src/manifest/stream-graph.ts';
import { makespan } from '../../src/domain/run/makespan.ts';
import { pathLengths } from '../../src/domain/run/path-lengths.ts';
import type { RunStream } from '../../src/domain/run/scheduler.ts';
import { cpuMs } from '../harness/clock.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';
import { sequence } from './learn.ts';

const ROUNDS = 5;

/** Two files each; every fiftieth stream writes one that others write as well. */
function manifest(count: number): Map<string, StreamShape> {
  const pick = sequence(11);
  const streams = new Map<string, StreamShape>();
  for (let i = 0; i < count; i++) {
    streams.set(`stream-${i}`, {
      deps: i < 10 ? [] : [`stream-${pick(i)}`],
      owns: [
        `packages/p${i % 500}/src/s${i}.ts`,
        pick(50) === 0 ? `packages/p${i % 500}/package.json` : `packages/p${i % 500}/test/s${i}.ts`,
      ],
    });
  }
  return streams;
}

function medianCpu(work: () => void): number {
  return median(
    Array.from({ length: ROUNDS }, () => {
      const before = cpuMs();
      work();
      return cpuMs() - before;
    }),
  );
}

export function measurePlan(): Promise<Figure[]> {
  const figures = [100_000, 1_000].map((count): Figure => {
    const streams = manifest(count);
    const value = medianCpu(() => {
      if (planStreams(streams).kind !== 'planned') throw new Error('it has a cycle');
    });
    const floor = medianCpu(() => {
      const { ids, deps } = readStreamGraph(streams);
      findWaves(toGraph(ids.length, deps));
    });
    return {
      id: 'P10',
      what: `plan ${count.toLocaleString('en-US')} streams`,
      value,
      unit: 'ms CPU',
      beside: { what: 'dependencies alone', value: floor },
      goal: { atMost: count === 1_000 ? 20 : 1000 },
    };
  });
  return Promise.resolve(figures);
}

function anyStreams(count: number, layers: number, seed: number): RunStream[] {
  const pick = sequence(seed);
  const width = Math.ceil(count / layers);
  return Array.from({ length: count }, (_, i) => {
    const layer = Math.floor(i / width);
    const before = () => `s${(layer - 1) * width + pick(width)}`;
    return {
      id: `s${i}`,
      status: 'pending',
      attempts: 0,
      optional: false,
      deps: layer === 0 ? [] : [...new Set([before(), before()])],
      after: [],
      weight: 1 + pick(100),
      lane: 'sim',
    };
  });
}

/** One wave after the other, each waiting for its slowest stream. */
function barrierMakespan(streams: readonly RunStream[], slots: number): number {
  const waves = new Map<string, number>();
  for (const { id, deps } of streams) {
    waves.set(id, 1 + Math.max(0, ...deps.map((dep) => waves.get(dep)!)));
  }
  let total = 0;
  for (let wave = 1; wave <= Math.max(...waves.values()); wave++) {
    const inWave = streams.filter(({ id }) => waves.get(id) === wave);
    total += makespan(
      inWave.map((stream) => ({ ...stream, deps: [] })),
      slots,
    );
  }
  return total;
}

export function measureMakespan(): Promise<Figure[]> {
  const figures = [8, 64].map((slots): Figure => {
    const ratios: number[] = [];
    const barriers: number[] = [];
    for (let seed = 1; seed <= 10; seed++) {
      const streams = anyStreams(1_000, 10, seed);
      const work = streams.reduce((sum, { weight }) => sum + weight, 0);
      const bound = Math.max(work / slots, ...pathLengths(streams).values());
      ratios.push(makespan(streams, slots) / bound);
      barriers.push(barrierMakespan(streams, slots) / bound);
    }
    return {
      id: 'P11',
      what: `makespan of 1,000 streams in ${slots} places, of the lower bound`,
      value: median(ratios),
      unit: 'x',
      beside: { what: 'a barrier after each wave', value: median(barriers) },
      goal: { atMost: 1.02 },
    };
  });
  return Promise.resolve(figures);
}
