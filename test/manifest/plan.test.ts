import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWriterIndex } from '../../src/manifest/ownership.ts';
import { patternsOverlap } from '../../src/manifest/patterns/overlap.ts';
import { planStreams } from '../../src/manifest/plan.ts';
import type { StreamOrder } from '../../src/manifest/plan.ts';
import { explainStream, planManifest } from '../../src/manifest/plan-manifest.ts';
import { patternsOf } from '../../src/manifest/stream-graph.ts';
import type { StreamShape } from '../../src/manifest/stream-graph.ts';
import { DEFAULT_STREAM_TIMEOUT_MS } from '../../src/manifest/model.ts';
import type { FeatureManifest, WorkflowManifest } from '../../src/manifest/model.ts';
import { verifies } from '../support/verifies.ts';
import { anyStreams } from './any-streams.ts';
import { effort } from '../support/effort.ts';

type Streams = Record<string, StreamShape>;

function plan(streams: Streams): StreamOrder {
  const result = planStreams(new Map(Object.entries(streams)));
  if (result.kind !== 'planned') throw new Error('the streams go round in a circle');
  return result;
}

function overlap(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return patternsOf(a).some((x) => patternsOf(b).some((y) => patternsOverlap(x, y)));
}

/** Every stream that has to be over before this one starts. */
function before(order: StreamOrder, id: string): Set<string> {
  const seen = new Set<string>();
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { id: earlier } of order.streams.get(at)!.waitsFor) {
      if (!seen.has(earlier)) open.push(earlier);
      seen.add(earlier);
    }
  }
  return seen;
}

/** The rule as it is written, straight from the deps. */
function waveByRule(streams: Streams, id: string): number {
  const deps = streams[id]!.deps ?? [];
  return deps.length === 0 ? 1 : 1 + Math.max(...deps.map((dep) => waveByRule(streams, dep)));
}

const RUNS = { numRuns: effort(1_000) };
const acyclic = anyStreams({ isAcyclic: true });

describe('the order of streams', () => {
  it('puts a stream one wave above the highest of its deps', () => {
    verifies('manifest.waves');
    const order = plan({ a: {}, b: { deps: ['a'] }, c: { deps: ['a', 'b'] }, d: {} });
    expect(order.waves).toEqual([['a', 'd'], ['b'], ['c']]);
    expect(order.criticalPath).toEqual(['a', 'b', 'c']);
  });

  it('lets the later of two writers of one file wait, and says why', () => {
    verifies('manifest.owns.overlap', 'manifest.owns.planning');
    const order = plan({ a: { owns: ['src/x.ts'] }, b: { owns: ['src/'] }, c: { owns: ['y.ts'] } });
    expect(order.waves).toEqual([['a', 'c'], ['b']]);
    expect(order.streams.get('b')!.waitsFor).toEqual([{ id: 'a', reason: 'owns' }]);
  });

  it('does not order what a dependency orders already', () => {
    const order = plan({ a: { owns: ['x.ts'] }, b: { deps: ['a'], owns: ['x.ts'] } });
    expect(order.streams.get('b')!.waitsFor).toEqual([{ id: 'a', reason: 'dep' }]);
  });

  it('names every circle with the streams in it', () => {
    const result = planStreams(
      new Map<string, StreamShape>([
        ['a', { deps: ['b'] }],
        ['b', { deps: ['a'] }],
        ['c', { deps: ['c'] }],
        ['d', { deps: ['a', 'missing'] }],
      ]),
    );
    expect(result).toEqual({
      kind: 'cyclic',
      cycles: [
        { streams: ['a', 'b'], witness: ['a', 'b'] },
        { streams: ['c'], witness: ['c'] },
      ],
    });
  });

  it('keeps the number of edges in proportion when all write one file', () => {
    const ids = Array.from({ length: 2_000 }, (_, i) => [`s${i}`, { owns: ['package.json'] }]);
    const order = plan(Object.fromEntries(ids) as Streams);
    const edges = [...order.streams.values()].flatMap(({ waitsFor }) => waitsFor);
    expect(edges).toHaveLength(1_999);
    expect(order.waves).toHaveLength(2_000);
  });

  it('takes globs as their whole folder when there are too many side by side', () => {
    const writers = createWriterIndex(2);
    const found: number[] = [];
    const widened = ['x1*', 'x2*', 'x3*', 'other.ts'].map((entry, owner) =>
      writers.write(patternsOf([entry])[0]!, owner, (earlier) => found.push(earlier)),
    );
    expect(widened).toEqual([false, false, true, false]);
    expect([...new Set(found)].sort((a, b) => a - b)).toEqual([0, 1, 2]);
  });

  it('W1, W2 never waits in a circle, and every dep is in an earlier wave', () => {
    fc.assert(
      fc.property(acyclic, (streams) => {
        const order = plan(streams);
        for (const [id, { deps = [] }] of Object.entries(streams)) {
          expect(before(order, id).has(id)).toBe(false);
          const { wave, waitsFor } = order.streams.get(id)!;
          for (const dep of deps) expect(order.streams.get(dep)!.wave).toBeLessThan(wave);
          const highest = Math.max(0, ...waitsFor.map((wait) => order.streams.get(wait.id)!.wave));
          expect(wave).toBe(highest + 1);
        }
      }),
      RUNS,
    );
  });

  it('W3 follows the deps alone when nobody writes the same', () => {
    fc.assert(
      fc.property(acyclic, (streams) => {
        const alone = Object.fromEntries(
          Object.entries(streams).map(([id, stream]) => [id, { ...stream, owns: [`${id}.ts`] }]),
        );
        const order = plan(alone);
        for (const id of Object.keys(alone)) {
          expect(order.streams.get(id)!.wave).toBe(waveByRule(alone, id));
        }
      }),
      RUNS,
    );
  });

  it('W4, W5 orders every two writers of the same, and no others', () => {
    let pairs = 0;
    fc.assert(
      fc.property(acyclic, (streams) => {
        const order = plan(streams);
        const ids = Object.keys(streams);
        const earlier = new Map(ids.map((id) => [id, before(order, id)]));
        for (const a of ids) {
          for (const b of ids) {
            if (a === b) continue;
            const isShared = overlap(streams[a]!.owns, streams[b]!.owns);
            const waits = order.streams.get(a)!.waitsFor.find(({ id }) => id === b);
            if (waits?.reason === 'owns') expect(isShared, `${a} waits for ${b}`).toBe(true);
            if (!isShared) continue;
            pairs += 1;
            const isOrdered = earlier.get(a)!.has(b) || earlier.get(b)!.has(a);
            expect(isOrdered, `${a} and ${b} write the same`).toBe(true);
          }
        }
      }),
      RUNS,
    );
    expect(pairs).toBeGreaterThan(effort(5_000));
  });

  it('W6 plans a stream that was added like one that was there from the start', () => {
    fc.assert(
      fc.property(acyclic, (streams) => {
        const map = new Map(Object.entries(streams));
        const last = [...map].at(-1)!;
        const grown = new Map([...map].slice(0, -1));
        planStreams(grown);
        grown.set(...last);
        expect(planStreams(grown)).toEqual(planStreams(map));
      }),
      RUNS,
    );
  });
});

describe('the plan of a manifest', () => {
  const stream = { setup: [], verify: [], reads: [], optional: false, depth: 'minimal' as const };
  const rest = { ...stream, timeoutMs: DEFAULT_STREAM_TIMEOUT_MS, attempts: 0 };
  const feature: FeatureManifest = {
    notation: 'B',
    feature: 'login',
    streams: new Map([
      ['db', { id: 'db', name: 'Db', deps: [], owns: ['src/*.ts'], status: 'pending', ...rest }],
      ['api', { id: 'api', name: 'A', deps: [], owns: ['src/a.ts'], status: 'pending', ...rest }],
      ['ui', { id: 'ui', name: 'U', deps: ['api'], owns: ['ui/'], status: 'pending', ...rest }],
    ]),
  };

  it('explains each stream: why this wave, and what it waits for', () => {
    const order = planManifest(feature) as StreamOrder;
    expect(explainStream(feature, order, 'db')!.why).toBe('Wave 1: no dependencies.');
    expect(explainStream(feature, order, 'api')).toEqual({
      id: 'api',
      wave: 2,
      waitsFor: [{ id: 'db', reason: 'owns', shared: { mine: 'src/a.ts', theirs: 'src/*.ts' } }],
      why: 'Wave 2: right after db (its src/*.ts and src/a.ts can be the same file) in wave 1.',
    });
    expect(explainStream(feature, order, 'ui')!.why).toBe(
      'Wave 3: right after api (a dependency) in wave 2.',
    );
    expect(explainStream(feature, order, 'nobody')).toBeUndefined();
  });

  it('puts all streams of notation A into one wave', () => {
    verifies('manifest.a.one-wave');
    const one = { description: '', plan: '', files: ['src/'], depth: 'minimal' as const };
    const more = { commands: [], timeoutMs: 1000, requireTests: false };
    const manifest: WorkflowManifest = {
      notation: 'A',
      name: 'tidy',
      version: '1.0.0',
      description: '',
      streams: new Map(['x', 'y'].map((id) => [id, { id, ...one, ...more }])),
    };
    expect((planManifest(manifest) as StreamOrder).waves).toEqual([['x', 'y']]);
  });
});
