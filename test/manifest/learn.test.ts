import { describe, expect, test } from 'vitest';
import { learnDeps } from '../../src/manifest/learn/learn.ts';
import type { StreamShape } from '../../src/manifest/stream-graph.ts';
import { verifies } from '../support/verifies.ts';

function learn(streams: Record<string, StreamShape>, options?: { broadReadLimit?: number }) {
  return learnDeps(new Map(Object.entries(streams)), options);
}

describe('what a stream reads', () => {
  test('makes it wait for whoever owns it', () => {
    const result = learn({
      api: { reads: ['src/db.ts', 'src/types/'] },
      db: { owns: ['src/db.ts'] },
      types: { owns: ['src/types/*.ts'] },
      other: { owns: ['docs/'] },
    });
    expect(result).toEqual({
      added: [
        { stream: 'api', dep: 'db', reads: ['src/db.ts'] },
        { stream: 'api', dep: 'types', reads: ['src/types/'] },
      ],
      dropped: [],
      cycles: [],
      broadReads: [],
    });
  });

  test('adds nothing that is a dep already, and no wait for itself', () => {
    const streams = {
      api: { deps: ['db'], owns: ['src/api.ts'], reads: ['src/db.ts', 'src/api.ts'] },
      db: { owns: ['src/db.ts'] },
    };
    expect(learn(streams).added).toEqual([]);
  });

  test('names all entries that one owner serves, whatever their order', () => {
    const owner = { owns: ['lib/'] };
    const reads = ['lib/b.ts', 'lib/a.ts', 'lib/b.ts'];
    expect(learn({ owner, reader: { reads } }).added).toEqual([
      { stream: 'reader', dep: 'owner', reads: ['lib/a.ts', 'lib/b.ts'] },
    ]);
  });

  test('is context only when very many own it, and is said to be', () => {
    const owners = Object.fromEntries(
      Array.from({ length: 257 }, (_, i) => [`s${i}`, { owns: [`src/f${i}.ts`] }]),
    );
    const streams = { ...owners, reader: { owns: ['src/reader.ts'], reads: ['src/**'] } };
    expect(learn(streams)).toMatchObject({
      added: [],
      broadReads: [{ stream: 'reader', read: 'src/**', owners: 257 }],
    });
    expect(learn(streams, { broadReadLimit: 257 })).toMatchObject({ broadReads: [] });
    expect(learn(streams, { broadReadLimit: 257 }).added).toHaveLength(257);
  });

  test('is left alone when it makes no sense as a path', () => {
    const streams = { a: { owns: ['../x', '/etc', 'C:\\x'] }, b: { reads: ['../x', '/etc', ''] } };
    expect(learn(streams).added).toEqual([]);
  });
});

describe('streams that read each other', () => {
  test('lose the wait that serves fewer reads, with the way around it', () => {
    verifies('manifest.learn.ownership');
    const result = learn({
      a: { owns: ['a.ts'], reads: ['b.ts'] },
      b: { owns: ['b.ts', 'b.md'], reads: ['c.ts'] },
      c: { owns: ['c.ts'], reads: ['a.ts', 'b.md', 'b.ts'] },
    });
    expect(result.added.map(({ stream, dep }) => [stream, dep])).toEqual([
      ['a', 'b'],
      ['c', 'a'],
      ['c', 'b'],
    ]);
    expect(result.dropped).toEqual([
      { stream: 'b', dep: 'c', reads: ['c.ts'], reason: 'ownership-cycle', cycle: ['b', 'c'] },
    ]);
  });

  test('never lose an explicit dep', () => {
    verifies('manifest.learn.ownership');
    const result = learn({
      a: { deps: ['b'], owns: ['a.ts'] },
      b: { owns: ['b.ts'], reads: ['a.ts'] },
    });
    expect(result).toMatchObject({
      added: [],
      dropped: [{ stream: 'b', dep: 'a', reason: 'ownership-cycle', cycle: ['b', 'a'] }],
      cycles: [],
    });
  });

  test('are sorted out in a ring of hundreds, too', () => {
    verifies('manifest.learn.ownership');
    const size = 500;
    const ring = Object.fromEntries(
      Array.from({ length: size }, (_, i) => [
        `s${i}`,
        { owns: [`f${i}.ts`], reads: [`f${(i + 1) % size}.ts`] },
      ]),
    );
    const { added, dropped } = learn(ring);
    expect([added.length, dropped.length]).toEqual([size - 1, 1]);
    expect(dropped[0]!.cycle).toHaveLength(size);
  });
});

describe('a cycle of explicit deps', () => {
  test('is kept and reported, and nothing is added inside it', () => {
    verifies('manifest.learn.explicit');
    const result = learn({
      a: { deps: ['b'], owns: ['a.ts'], reads: ['c.ts'] },
      b: { deps: ['c'], owns: ['b.ts'] },
      c: { deps: ['a'], owns: ['c.ts'] },
      self: { deps: ['self'] },
      d: { reads: ['a.ts'] },
    });
    expect(result.cycles).toEqual([['a', 'b', 'c'], ['self']]);
    expect(result.added).toEqual([{ stream: 'd', dep: 'a', reads: ['a.ts'] }]);
    expect(result.dropped).toEqual([
      { stream: 'a', dep: 'c', reads: ['c.ts'], reason: 'explicit-cycle', cycle: ['a', 'c'] },
    ]);
  });

  test('counts as one when others are sorted around it', () => {
    verifies('manifest.learn.explicit');
    const result = learn({
      a: { deps: ['b'], reads: ['x.ts', 'x.md'] },
      b: { deps: ['a'], owns: ['b.ts'] },
      x: { owns: ['x.ts', 'x.md'], reads: ['b.ts'] },
    });
    expect(result.added.map(({ stream, dep }) => [stream, dep])).toEqual([['a', 'x']]);
    expect(result.dropped).toMatchObject([
      { stream: 'x', dep: 'b', reason: 'ownership-cycle', cycle: ['x', 'a', 'b'] },
    ]);
  });
});
