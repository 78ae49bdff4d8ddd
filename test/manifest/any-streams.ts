// Small manifests for property tests: few files, so that streams often meet in them.
import fc from 'fast-check';

const entry = fc.constantFrom(
  'a.ts',
  'b.ts',
  'src/',
  'src',
  'src/a.ts',
  'src/b.ts',
  'src/x/',
  'src/x/c.ts',
  'src/*.ts',
  'src/**/*.ts',
  '**/*.md',
  'docs/',
  'docs/a.md',
  'lib',
  'lib/',
  'lib/q.ts',
  'src/{a,b}.ts',
  'l*',
  'package.json',
  '**',
  's*/x/*.ts',
  '[ab].ts',
);

export interface AnyStream {
  deps: string[];
  owns: string[];
  reads: string[];
}

/** Up to nine streams, `s0` on; acyclic ones only depend on those before them. */
export function anyStreams(options: {
  isAcyclic: boolean;
  max?: number;
}): fc.Arbitrary<Record<string, AnyStream>> {
  const { isAcyclic, max = 9 } = options;
  return fc
    .integer({ min: 1, max })
    .chain((count) =>
      fc.tuple(...Array.from({ length: count }, (_, i) => one(i, count, isAcyclic))),
    )
    .map((streams) => Object.fromEntries(streams.map((stream, i) => [`s${i}`, stream])));
}

function one(index: number, count: number, isAcyclic: boolean): fc.Arbitrary<AnyStream> {
  const highest = isAcyclic ? index - 1 : count - 1;
  const deps =
    highest < 0
      ? fc.constant([])
      : fc.uniqueArray(fc.integer({ min: 0, max: highest }), { maxLength: 2 });
  return fc.record({
    deps: deps.map((numbers) => numbers.map((number) => `s${number}`)),
    owns: fc.array(entry, { maxLength: 3 }),
    reads: fc.array(entry, { maxLength: 3 }),
  });
}
