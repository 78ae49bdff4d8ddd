import { describe, expect, it } from 'vitest';
import { parseManifest } from '../../src/manifest/text/parse.ts';
import { checkNewStream, validateManifest } from '../../src/manifest/validate.ts';
import { STREAM_STATUSES } from '../../src/manifest/model.ts';
import type { FeatureManifest, FeatureStream, WorkflowManifest } from '../../src/manifest/model.ts';
import { verifies } from '../support/verifies.ts';

function read(text: string) {
  const parsed = parseManifest(text);
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems, null, 2));
  return parsed;
}
const readA = (text: string) => read(text).manifest as WorkflowManifest;
const readB = (text: string) => read(text).manifest as FeatureManifest;
const codes = (text: string) => parseManifest(text).problems.map(({ code }) => code);

const A = `name: search
version: 1.0.0-rc.1+build.5
description: Search in the shop
model: sim-large
maxTokens: 9000
contextTokens: 50000
streams:
  api:
    description: The endpoint
    plan: |
      Write it.
      Test it.
    context:
      files: [src/api/, README.md, 'src/**/*.ts']
      depth: comprehensive
    commands:
      - { command: npm test, critical: true }
      - { command: npm run lint, critical: false }
    constraints:
      maxSteps: 12
      timeout: 5000
      requireTests: true
    model: sim-small
    maxTokens: 100
    contextTokens: 1000
  web:
    description: The page
    plan: Write it.
`;

const B = `feature: search
created: 2026-01-31T12:00:00.000Z
status: in_progress
model: sim-large
streams:
  database:
    name: Tables
    owns: [sql/, 'src/{db,store}/*.ts']
    status: complete
    appliedAt: 2026-01-31T13:00:00+01:00
    attempts: 1
  api:
    name: The endpoint
    deps: [database]
    owns: [src/api.ts]
    reads: [src/app.ts]
    plan: Write it.
    setup: [npm ci]
    verify: [npm test, npm run lint]
    optional: true
    depth: moderate
    timeoutMs: 90000
    status: failed
    error: npm test failed
    attempts: 2
    model: sim-small
    maxTokens: 200000
  api-fix-1:
    name: A fix
    parentStreamId: api
`;

describe('notation A', () => {
  it('keeps every field of the manifest and its streams, in the order of the text', () => {
    verifies('manifest.a.fields', 'manifest.a.context-files', 'manifest.a.constraints');
    const { streams, ...top } = readA(A);
    expect(top).toEqual({
      notation: 'A',
      name: 'search',
      version: '1.0.0-rc.1+build.5',
      description: 'Search in the shop',
      model: 'sim-large',
      maxTokens: 9000,
      contextTokens: 50_000,
    });
    expect([...streams.keys()]).toEqual(['api', 'web']);
    expect(streams.get('api')).toEqual({
      id: 'api',
      description: 'The endpoint',
      plan: 'Write it.\nTest it.\n',
      files: ['src/api/', 'README.md', 'src/**/*.ts'],
      depth: 'comprehensive',
      commands: [
        { command: 'npm test', critical: true },
        { command: 'npm run lint', critical: false },
      ],
      maxSteps: 12,
      timeoutMs: 5000,
      requireTests: true,
      model: 'sim-small',
      maxTokens: 100,
      contextTokens: 1000,
    });
  });

  it('gives a stream that says nothing else its defaults', () => {
    verifies('manifest.timeout.default');
    expect(readA(A).streams.get('web')).toEqual({
      id: 'web',
      description: 'The page',
      plan: 'Write it.',
      files: [],
      depth: 'moderate',
      commands: [],
      timeoutMs: 600_000,
      requireTests: false,
    });
  });

  it.each(['name', 'version', 'description', 'streams'])('asks for %s', (field) => {
    verifies('manifest.a.fields');
    const without =
      field === 'streams'
        ? A.slice(0, A.indexOf('streams:'))
        : A.replace(new RegExp(`^${field}:.*\n`), '').replace(new RegExp(`\n${field}:.*\n`), '\n');
    const { problems, kind } = parseManifest(without);
    expect(kind).toBe('invalid');
    expect(problems).toMatchObject([{ code: 'MISSING_FIELD', path: field }]);
  });

  it.each(['description', 'plan'])('asks for the %s of a stream', (field) => {
    verifies('manifest.a.stream');
    const stream = { description: 'd', plan: 'p', [field]: undefined };
    const { problems } = parseManifest(
      JSON.stringify({ name: 'n', version: '1.0.0', description: 'd', streams: { a: stream } }),
    );
    expect(problems).toMatchObject([{ code: 'MISSING_FIELD', path: `streams.a.${field}` }]);
  });

  it.each(['minimal', 'moderate', 'comprehensive'])('knows the depth %s', (depth) => {
    verifies('manifest.a.context-depth');
    expect(readA(A.replace('comprehensive', depth)).streams.get('api')?.depth).toBe(depth);
    expect(codes(A.replace('comprehensive', `${depth}s`))).toEqual(['BAD_CHOICE']);
  });

  it('asks each command for both its fields', () => {
    verifies('manifest.a.commands');
    expect(codes(A.replace('{ command: npm test, critical: true }', 'npm test'))).toEqual([
      'WRONG_TYPE',
    ]);
    expect(codes(A.replace(', critical: true', ''))).toEqual(['MISSING_FIELD']);
    expect(codes(A.replace('command: npm test, ', ''))).toEqual(['MISSING_FIELD']);
  });

  it.each(['1.0', '01.0.0', 'v1.0.0', '1.0.0-', '1.0.0-01', '1.0.0+', '1.0.0.0', 'latest'])(
    'refuses %s as a version',
    (version) => {
      verifies('manifest.a.version');
      expect(codes(A.replace('1.0.0-rc.1+build.5', `"${version}"`))).toEqual(['BAD_VERSION']);
    },
  );

  it.each(['0.0.0', '1.2.3', '1.2.3-alpha.1', '1.2.3-0a.-', '1.2.3+001', '10.20.30-x.7.z.92'])(
    'takes %s as a version',
    (version) => {
      verifies('manifest.a.version');
      expect(readA(A.replace('1.0.0-rc.1+build.5', version)).version).toBe(version);
    },
  );
});

describe('notation B', () => {
  it('keeps every field of the manifest and its streams, in the order of the text', () => {
    verifies('manifest.b.top', 'manifest.b.fields', 'manifest.b.owns', 'manifest.optional');
    const { streams, ...top } = readB(B);
    expect(top).toEqual({
      notation: 'B',
      feature: 'search',
      created: '2026-01-31T12:00:00.000Z',
      status: 'in_progress',
      model: 'sim-large',
    });
    expect([...streams.keys()]).toEqual(['database', 'api', 'api-fix-1']);
    expect(streams.get('api')).toEqual({
      id: 'api',
      name: 'The endpoint',
      deps: ['database'],
      owns: ['src/api.ts'],
      reads: ['src/app.ts'],
      plan: 'Write it.',
      setup: ['npm ci'],
      verify: ['npm test', 'npm run lint'],
      optional: true,
      depth: 'moderate',
      timeoutMs: 90_000,
      status: 'failed',
      error: 'npm test failed',
      attempts: 2,
      model: 'sim-small',
      maxTokens: 200_000,
    });
    expect(streams.get('database')?.appliedAt).toBe('2026-01-31T13:00:00+01:00');
    expect(streams.get('api-fix-1')?.parentStreamId).toBe('api');
  });

  it('asks a stream for its name only, and gives it the defaults', () => {
    verifies('manifest.b.name', 'manifest.timeout.default');
    const { manifest, problems } = read('feature: x\nstreams:\n  a: {name: A}\n');
    expect(problems).toEqual([]);
    expect(manifest.streams.get('a')).toEqual({
      id: 'a',
      name: 'A',
      deps: [],
      owns: [],
      reads: [],
      setup: [],
      verify: [],
      optional: false,
      depth: 'moderate',
      timeoutMs: 600_000,
      status: 'pending',
      attempts: 0,
    });
    expect(codes('feature: x\nstreams:\n  a: {plan: p}\n')).toEqual(['MISSING_FIELD']);
  });

  it.each(STREAM_STATUSES)('knows the status %s', (status) => {
    verifies('manifest.b.fields');
    expect(readB(B.replace('status: failed', `status: ${status}`)).streams.get('api')?.status).toBe(
      status,
    );
  });

  it('is recognised by its streams when feature is missing, and then asks for it', () => {
    const parsed = parseManifest('streams:\n  a: {name: A, deps: []}\n');
    expect(parsed).toMatchObject({ kind: 'invalid', notation: 'B' });
    expect(parsed.problems).toMatchObject([{ code: 'MISSING_FIELD', path: 'feature' }]);
  });

  it('refuses every circle when a manifest is read, each with its shortest way around', () => {
    verifies('manifest.cycles.init');
    const deps = {
      a: ['b'],
      b: ['c'],
      c: ['a', 'd'],
      d: ['c'],
      e: ['f'],
      f: ['e'],
      g: ['g'],
      h: [],
    };
    const streams = Object.fromEntries(
      Object.entries(deps).map(([id, of]) => [id, { name: id, deps: of }]),
    );
    const { kind, problems } = parseManifest(JSON.stringify({ feature: 'x', streams }));
    expect(kind).toBe('invalid');
    expect(problems.map(({ code, cycle }) => [code, cycle])).toEqual([
      ['CYCLE', ['c', 'd']],
      ['CYCLE', ['e', 'f']],
      ['CYCLE', ['g']],
    ]);
  });

  it('warns about more than four reads, not about four', () => {
    verifies('manifest.reads.many');
    const text = (reads: string) => `feature: x\nstreams:\n  a: {name: A, reads: [${reads}]}\n`;
    expect(codes(text('a.ts, b.ts, c.ts, d.ts'))).toEqual([]);
    expect(codes(text('a.ts, b.ts, c.ts, d.ts, e.ts'))).toEqual(['MANY_READS']);
    expect(parseManifest(text('a.ts, b.ts, c.ts, d.ts, e.ts')).kind).toBe('manifest');
  });

  it('says nothing about reads of a file whose owner comes before, however far', () => {
    const text = `feature: x\nstreams:\n  a: {name: A, owns: [a.ts]}\n  b: {name: B, deps: [a]}\n  c: {name: C, deps: [b], reads: [a.ts]}\n  d: {name: D, reads: [a.ts]}\n`;
    expect(parseManifest(text).problems).toMatchObject([
      { code: 'READS_WITHOUT_DEP', path: 'streams.d.reads[0]', severity: 'warning' },
    ]);
  });
});

describe('adding a stream', () => {
  const base = {
    owns: [],
    reads: [],
    setup: [],
    verify: [],
    optional: false,
    depth: 'moderate',
    timeoutMs: 600_000,
    status: 'pending',
    attempts: 0,
  } as const;
  const stream = (id: string, deps: string[]): FeatureStream => ({
    ...base,
    id,
    name: id,
    deps,
    owns: [],
    reads: [],
    setup: [],
    verify: [],
  });
  const manifest = (): FeatureManifest => ({
    notation: 'B',
    feature: 'x',
    streams: new Map([stream('a', ['c']), stream('b', ['a'])].map((one) => [one.id, one])),
  });

  it('is refused when it would close a circle', () => {
    verifies('manifest.cycles.add');
    expect(checkNewStream(manifest(), stream('c', ['b']))).toMatchObject([
      { code: 'CYCLE', severity: 'error', cycle: ['a', 'c', 'b'] },
    ]);
    expect(checkNewStream(manifest(), stream('c', []))).toEqual([]);
    expect(checkNewStream(manifest(), stream('c', ['c']))).toMatchObject([
      { code: 'CYCLE', cycle: ['c'] },
    ]);
  });

  it('is refused when its id is taken or no id, or a dependency is unknown', () => {
    expect(checkNewStream(manifest(), stream('a', []))).toMatchObject([
      { code: 'DUPLICATE_STREAM' },
    ]);
    expect(checkNewStream(manifest(), stream('a b', []))).toMatchObject([{ code: 'BAD_ID' }]);
    expect(checkNewStream(manifest(), stream('c', ['dd']))).toMatchObject([
      { code: 'UNKNOWN_DEP' },
    ]);
  });

  it('leaves the manifest as it was', () => {
    const before = manifest();
    checkNewStream(before, stream('c', []));
    expect([...before.streams.keys()]).toEqual(['a', 'b']);
  });
});

describe('reading YAML', () => {
  it('takes anchors, aliases and merge keys, where what is written down wins', () => {
    const { streams } = readB(
      `feature: x\nx-base: &base {name: Base, timeoutMs: 5000, verify: &v [npm test]}\nstreams:\n  a: {<<: *base, name: A}\n  b: {name: B, <<: [*base], setup: *v}\n`,
    );
    expect(streams.get('a')).toMatchObject({ name: 'A', timeoutMs: 5000, verify: ['npm test'] });
    expect(streams.get('b')).toMatchObject({ name: 'B', timeoutMs: 5000, setup: ['npm test'] });
  });

  it('keeps streams in order even when their ids look like numbers', () => {
    const text = 'feature: x\nstreams:\n  b: {name: B}\n  10: {name: T}\n  "2": {name: Z}\n';
    expect([...readB(text).streams.keys()]).toEqual(['b', '10', '2']);
  });

  it('takes texts with a byte order mark and with any line ends', () => {
    for (const end of ['\r\n', '\r', '\n']) {
      expect(readB(`\ufeff${B.replaceAll('\n', end)}`).streams.size).toBe(3);
    }
  });

  it('counts lines and columns as editors do', () => {
    const { places } = read(
      `\ufefffeature: x\r\nstreams:\r\n  a:\r\n    name: 'A'\r\n    deps: [ ]\r\n    plan: |\r\n      p\r\n`,
    );
    expect(places.of(['feature'])).toEqual({ line: 1, column: 10 });
    expect(places.of(['streams'])).toEqual({ line: 2, column: 1 });
    expect(places.of(['streams', 'a'])).toEqual({ line: 3, column: 3 });
    expect(places.of(['streams', 'a', 'name'])).toEqual({ line: 4, column: 11 });
    expect(places.of(['streams', 'a', 'deps', 3])).toEqual({ line: 5, column: 11 });
    expect(places.of(['streams', 'a', 'plan'])).toEqual({ line: 6, column: 5 });
    expect(places.of(['streams', 'a', 'reads'])).toEqual({ line: 3, column: 3 });
  });

  it('leaves keys that begin with x- to their author', () => {
    expect(codes('feature: x\nx-top: {a: [1]}\nstreams:\n  a: {name: A, x-note: 1}\n')).toEqual([]);
  });

  it('names the file in every problem', () => {
    const { problems } = parseManifest('feature: 1\nstreams: 2\n', { file: 'some/plan.yaml' });
    expect(problems.map(({ file }) => file)).toEqual(['some/plan.yaml', 'some/plan.yaml']);
  });

  it('lists at most so many problems and counts the rest, but never hides an error', () => {
    const warnings = Array.from({ length: 30 }, (_, at) => `k${at}: 1\n`).join('');
    const { problems } = parseManifest(`${warnings}feature: x\nstreams:\n  a: {name: 1}\n`, {
      limits: { maxProblems: 10 },
    });
    expect(problems).toHaveLength(11);
    expect(problems.some(({ code }) => code === 'WRONG_TYPE')).toBe(true);
    expect(problems.at(-1)).toMatchObject({
      code: 'MORE_PROBLEMS',
      message: '21 more problems are not shown.',
    });
  });

  it.each([
    ['TOO_LARGE', { maxBytes: 20 }],
    ['TOO_DEEP', { maxDepth: 2 }],
    ['TOO_MANY_VALUES', { maxNodes: 8 }],
    ['TOO_MANY_STREAMS', { maxStreams: 2 }],
  ])('refuses what goes beyond a limit: %s', (code, limits) => {
    const { kind, problems } = parseManifest(B, { limits });
    expect(kind).toBe('invalid');
    expect(problems.map((problem) => problem.code)).toContain(code);
  });

  it.each([{ maxAliases: 1 }, { maxAliasedNodes: 2 }, { maxMergedKeys: 1 }])(
    'refuses more of aliases than %o',
    (limits) => {
      const text = 'feature: x\nx-a: &a {name: A}\nstreams: {a: {<<: *a}, b: {<<: *a}}\n';
      expect(codes(text)).toEqual([]);
      expect(parseManifest(text, { limits }).problems).toMatchObject([
        { code: 'TOO_MANY_ALIASES' },
      ]);
    },
  );

  it('counts bytes, not characters', () => {
    const text = `feature: ${'🧀'.repeat(100)}\nstreams: {a: {name: A}}\n`;
    const bytes = Buffer.byteLength(text);
    expect(parseManifest(text, { limits: { maxBytes: bytes } }).kind).toBe('manifest');
    expect(parseManifest(text, { limits: { maxBytes: bytes - 1 } }).problems).toMatchObject([
      { code: 'TOO_LARGE' },
    ]);
  });
});

describe('validateManifest', () => {
  it('finds in a manifest what parsing it finds between its streams, with the same places', () => {
    const text =
      'feature: x\nstreams:\n  a:\n    name: A\n    reads: [a, b, c, d, e]\n    deps:\n      - b\n      - b\n  b: {name: B}\n';
    const { manifest, places, problems } = read(text);
    expect(problems.map(({ code }) => code)).toEqual(['MANY_READS', 'DUPLICATE_DEP']);
    expect(validateManifest(manifest, { places })).toMatchObject([
      { code: 'MANY_READS' },
      { code: 'DUPLICATE_DEP', line: 8, column: 9 },
    ]);
  });
});
