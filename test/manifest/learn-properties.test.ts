// What must hold for every manifest, over thousands of small random ones in which streams meet often.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findComponents, findCycles, toGraph } from '../../src/manifest/graph.ts';
import { findFeedback } from '../../src/manifest/learn/feedback.ts';
import { learnDeps } from '../../src/manifest/learn/learn.ts';
import type { LearnResult } from '../../src/manifest/learn/learn.ts';
import { createOwnerIndex } from '../../src/manifest/learn/owner-index.ts';
import { orderGreedily } from '../../src/manifest/learn/greedy.ts';
import { patternsOverlap } from '../../src/manifest/patterns/overlap.ts';
import { patternsOf } from '../../src/manifest/stream-graph.ts';
import { verifies } from '../support/verifies.ts';
import { anyEntry } from './any-entry.ts';
import { anyStreams } from './any-streams.ts';
import type { AnyStream } from './any-streams.ts';
import { effort } from '../support/effort.ts';

const RUNS = { numRuns: effort(600) };
type Streams = Record<string, AnyStream>;
type Dep = { stream: string; dep: string };

const learn = (streams: Streams) => learnDeps(new Map(Object.entries(streams)));
const anyManifest = anyStreams({ isAcyclic: false });

function overlap(a: string, b: string): boolean {
  return patternsOf([a]).some((x) => patternsOf([b]).some((y) => patternsOverlap(x, y)));
}

/** The slow way: every read against every entry that somebody else owns. */
function candidatesOf(streams: Streams): (Dep & { weight: number })[] {
  return Object.entries(streams).flatMap(([stream, { reads, deps }]) =>
    Object.entries(streams)
      .filter(([dep]) => dep !== stream && !deps.includes(dep))
      .map(([dep, { owns }]) => {
        const served = [...new Set(reads)].filter((read) => owns.some((own) => overlap(own, read)));
        return { stream, dep, weight: served.length };
      })
      .filter(({ weight }) => weight > 0),
  );
}

function explicitOf(streams: Streams): Dep[] {
  return Object.entries(streams).flatMap(([stream, { deps }]) =>
    deps.map((dep) => ({ stream, dep })),
  );
}

function graphOf(streams: Streams, deps: readonly Dep[]) {
  const ids = Object.keys(streams);
  const edges = deps.map(({ stream, dep }) => ({
    from: ids.indexOf(dep),
    to: ids.indexOf(stream),
  }));
  return toGraph(ids.length, edges);
}

function cyclesOf(streams: Streams, deps: readonly Dep[]): number[][] {
  return findCycles(graphOf(streams, deps));
}

function apply(streams: Streams, { added }: LearnResult): Streams {
  const result = structuredClone(streams);
  for (const { stream, dep } of added) result[stream]!.deps.push(dep);
  return result;
}

const keyOf = ({ stream, dep }: Dep) => `${dep} -> ${stream}`;

describe('learning', () => {
  test('neither adds a cycle nor takes one away', () => {
    verifies('manifest.learn.ownership', 'manifest.learn.explicit');
    fc.assert(
      fc.property(anyManifest, (streams) => {
        const explicit = explicitOf(streams);
        const result = learn(streams);
        const ids = Object.keys(streams);
        const before = cyclesOf(streams, explicit);
        expect(result.cycles).toEqual(before.map((cycle) => cycle.map((node) => ids[node])));
        expect(cyclesOf(streams, [...explicit, ...result.added])).toEqual(before);
      }),
      RUNS,
    );
  });

  test('says of every wait that reading asks for what became of it, and invents none', () => {
    fc.assert(
      fc.property(anyManifest, (streams) => {
        const { added, dropped } = learn(streams);
        const told = [...added, ...dropped].map((each) => `${keyOf(each)} ${each.reads.length}`);
        const asked = candidatesOf(streams).map((each) => `${keyOf(each)} ${each.weight}`);
        expect(told.sort()).toEqual(asked.sort());
      }),
      RUNS,
    );
  });

  test('keeps every explicit dep', () => {
    verifies('manifest.learn.explicit');
    fc.assert(
      fc.property(anyManifest, (streams) => {
        const explicit = new Set(explicitOf(streams).map(keyOf));
        const { added, dropped } = learn(streams);
        for (const each of [...added, ...dropped]) expect(explicit.has(keyOf(each))).toBe(false);
      }),
      RUNS,
    );
  });

  test('drops nothing that could have stayed, and shows the shortest cycle that it would close', () => {
    verifies('manifest.learn.ownership');
    fc.assert(
      fc.property(anyManifest, (streams) => {
        const { added, dropped, cycles } = learn(streams);
        const final = [...explicitOf(streams), ...added];
        const edges = new Set(final.map(keyOf));
        for (const { stream, dep, cycle, reason } of dropped) {
          expect([cycle[0], cycle.at(-1)]).toEqual([stream, dep]);
          for (let i = 1; i < cycle.length; i++) {
            expect(edges).toContain(keyOf({ dep: cycle[i - 1]!, stream: cycle[i]! }));
          }
          expect(cycle).toHaveLength(distance(final, stream, dep));
          const isInside = cycles.some((ids) => ids.includes(stream) && ids.includes(dep));
          expect(reason).toBe(isInside ? 'explicit-cycle' : 'ownership-cycle');
        }
      }),
      RUNS,
    );
  });

  test('has nothing to add the second time', () => {
    fc.assert(
      fc.property(anyManifest, (streams) => {
        const first = learn(streams);
        const second = learn(apply(streams, first));
        expect(second.added).toEqual([]);
        expect(second.dropped.map(keyOf)).toEqual(first.dropped.map(keyOf));
      }),
      RUNS,
    );
  });

  test('gives the same whenever it is asked, in whatever order entries are listed', () => {
    const shuffled = anyManifest.chain((streams) =>
      fc.tuple(
        fc.constant(streams),
        fc.record(
          Object.fromEntries(
            Object.entries(streams).map(([id, { deps, owns, reads }]) => [
              id,
              fc.record({
                deps: fc.shuffledSubarray(deps, { minLength: deps.length }),
                owns: fc.shuffledSubarray(owns, { minLength: owns.length }),
                reads: fc.shuffledSubarray(reads, { minLength: reads.length }),
              }),
            ]),
          ),
        ),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([streams, other]) => {
        expect(learn(streams)).toEqual(learn(streams));
        expect(learn(other)).toEqual(learn(streams));
      }),
      RUNS,
    );
  });

  test('drops the least weight that any order of up to six streams would', () => {
    verifies('manifest.learn.ownership');
    fc.assert(
      fc.property(anyStreams({ isAcyclic: false, max: 6 }), (streams) => {
        const { dropped } = learn(streams);
        const lost = dropped
          .filter(({ reason }) => reason === 'ownership-cycle')
          .reduce((sum, { reads }) => sum + reads.length, 0);
        expect(lost).toBe(leastLoss(streams));
      }),
      RUNS,
    );
  });
});

/** Streams on the shortest way, ends included. */
function distance(deps: readonly Dep[], from: string, to: string): number {
  let ring = new Set([from]);
  for (let length = 1; ; length++) {
    if (ring.has(to)) return length;
    ring = new Set(deps.filter(({ dep }) => ring.has(dep)).map(({ stream }) => stream));
    if (ring.size === 0) return -1;
  }
}

function* permutations(items: readonly number[]): Generator<number[]> {
  if (items.length === 0) yield [];
  for (const item of items) {
    for (const rest of permutations(items.filter((other) => other !== item))) yield [item, ...rest];
  }
}

/** Over all orders of the explicit cycles and the other streams that explicit deps allow. */
function leastLoss(streams: Streams): number {
  const ids = Object.keys(streams);
  const explicit = explicitOf(streams);
  const components = findComponents(graphOf(streams, explicit));
  const of = (id: string) => components.findIndex((nodes) => nodes.includes(ids.indexOf(id)));
  const toEdge = (each: Dep) => ({ from: of(each.dep), to: of(each.stream) });
  const fixed = explicit.map(toEdge).filter(({ from, to }) => from !== to);
  const wished = candidatesOf(streams).map((each) => ({ ...toEdge(each), weight: each.weight }));
  let least = Number.POSITIVE_INFINITY;
  for (const order of permutations(components.map((_, i) => i))) {
    const place = (node: number) => order.indexOf(node);
    if (fixed.some(({ from, to }) => place(from) > place(to))) continue;
    const back = wished.filter(({ from, to }) => place(from) > place(to));
    least = Math.min(
      least,
      back.reduce((sum, { weight }) => sum + weight, 0),
    );
  }
  return least;
}

describe('a tangle too large for the best order', () => {
  const SIZE = 20;
  const node = fc.integer({ min: 0, max: SIZE - 1 });
  const anyTangle = fc.record({
    fixed: fc.array(fc.tuple(node, node), { maxLength: 15 }),
    wished: fc.array(fc.tuple(node, node, fc.integer({ min: 1, max: 4 })), { maxLength: 60 }),
  });
  const tangleOf = (given: typeof anyTangle extends fc.Arbitrary<infer T> ? T : never) => ({
    size: SIZE,
    fixed: given.fixed.filter(([from, to]) => from < to).map(([from, to]) => ({ from, to })),
    wished: given.wished
      .filter(([from, to]) => from !== to)
      .map(([from, to, weight]) => ({ from, to, weight })),
  });

  test('keeps its fixed edges, has no cycle left, and gives up nothing that could stay', () => {
    verifies('manifest.learn.ownership');
    fc.assert(
      fc.property(anyTangle, (given) => {
        const tangle = tangleOf(given);
        const out = findFeedback(tangle);
        const kept = [...tangle.fixed, ...tangle.wished.filter((_, at) => !out.has(at))];
        expect(findCycles(toGraph(SIZE, kept))).toEqual([]);
        for (const at of out) {
          expect(findCycles(toGraph(SIZE, [...kept, tangle.wished[at]!]))).not.toEqual([]);
        }
      }),
      RUNS,
    );
  });

  test('is put in an order that holds every fixed edge and takes next whoever waits for least', () => {
    fc.assert(
      fc.property(anyTangle, (given) => {
        const tangle = tangleOf(given);
        const places = orderGreedily(tangle);
        const order = places.map((_, place) => places.indexOf(place));
        const placed = new Set<number>();
        const waiting = (to: number) =>
          tangle.wished
            .filter((edge) => edge.to === to && !placed.has(edge.from))
            .reduce((sum, { weight }) => sum + weight, 0);
        for (const next of order) {
          const ready = order.filter(
            (to) =>
              !placed.has(to) &&
              tangle.fixed.every((edge) => edge.to !== to || placed.has(edge.from)),
          );
          expect(ready).toContain(next);
          expect(waiting(next)).toBe(Math.min(...ready.map(waiting)));
          placed.add(next);
        }
      }),
      { numRuns: effort(200) },
    );
  });
});

test('the index of owners finds exactly those whose entries overlap', () => {
  fc.assert(
    fc.property(
      fc.array(anyEntry, { maxLength: 12 }),
      fc.array(anyEntry, { maxLength: 4 }),
      (owned, asked) => {
        const index = createOwnerIndex();
        owned.forEach((entry, owner) => index.insert(entry, owner));
        for (const read of asked) {
          const expected = owned.flatMap((entry, owner) => (overlap(entry, read) ? [owner] : []));
          expect(index.ownersOf(read)).toEqual(expected);
        }
      },
    ),
    { numRuns: effort(1000) },
  );
});
