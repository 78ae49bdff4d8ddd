// How long `learn` takes over a very large manifest, beside reading its graph alone.
import { learnDeps } from '../../src/manifest/learn/learn.ts';
import { findWaves, toGraph } from '../../src/manifest/graph.ts';
import { readStreamGraph } from '../../src/manifest/stream-graph.ts';
import type { StreamShape } from '../../src/manifest/stream-graph.ts';
import { cpuMs } from '../harness/clock.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';

const STREAMS = 100_000;
const ROUNDS = 3;

/** The same sequence every time (a linear congruence), so that runs can be compared. */
export function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function fileOf(stream: number, which: number): string {
  return `packages/p${stream % 500}/src/m${stream % 7}/s${stream}-${which}.ts`;
}

/**
 * Every stream owns two files, depends on an earlier one and reads two. `spread` is how far away a
 * stream looks for something to read: a small one makes thousands of small cycles, one as large as
 * the manifest makes a single giant one.
 */
export function largeManifest(count: number, spread: number): Map<string, StreamShape> {
  const pick = sequence(7);
  const streams = new Map<string, StreamShape>();
  for (let i = 0; i < count; i++) {
    const near = () => {
      const away =
        spread >= count || pick(30) === 0 ? pick(2 * spread) - spread : -1 - pick(spread);
      return Math.min(count - 1, Math.max(0, i + away));
    };
    const isFolder = pick(50) === 0;
    streams.set(`stream-${i}`, {
      deps: i === 0 ? [] : [`stream-${Math.max(0, i - 1 - pick(50))}`],
      owns: [fileOf(i, 0), isFolder ? `packages/p${i % 500}/gen${i}/` : fileOf(i, 1)],
      reads: [fileOf(near(), pick(2)), pick(100) === 0 ? 'packages/**/*.md' : fileOf(near(), 0)],
    });
  }
  return streams;
}

function medianCpu(work: () => void): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = cpuMs();
    work();
    return cpuMs() - before;
  });
  return median(times);
}

function figure(what: string, streams: ReadonlyMap<string, StreamShape>): Figure {
  const floor = medianCpu(() => {
    const { ids, deps } = readStreamGraph(streams);
    findWaves(toGraph(ids.length, deps));
  });
  let result = { added: 0, dropped: 0 };
  const value = medianCpu(() => {
    const { added, dropped } = learnDeps(streams);
    result = { added: added.length, dropped: dropped.length };
  });
  return {
    id: 'learn',
    what: `${what} (${result.added} added, ${result.dropped} dropped)`,
    value,
    unit: 'CPU ms',
    beside: { what: 'CPU ms for the waves of the deps alone', value: floor },
    goal: { atMost: 3000 },
  };
}

export function measureLearn(): Promise<Figure[]> {
  return Promise.resolve([
    figure('learn over 100,000 streams, small cycles', largeManifest(STREAMS, 20)),
    figure('learn over 100,000 streams, one tangle', largeManifest(STREAMS, STREAMS)),
  ]);
}
