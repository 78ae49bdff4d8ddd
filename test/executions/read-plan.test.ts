// How the answer of a planning call becomes the steps of an execution.
import { describe, expect, it } from 'vitest';
import type { PlannedTask } from '../../src/domain/execution/known-files.ts';
import { readPlan } from '../../src/domain/execution/read-plan.ts';
import { writeManifest } from '../../src/manifest/compose/write-manifest.ts';
import { parseManifest } from '../../src/manifest/text/parse.ts';
import { plannedTask } from './planned-task.ts';

const fenced = (text: string, info = 'json') =>
  `Here it is.\n\n\`\`\`\`${info}\n${text}\n\`\`\`\`\nDone.`;

function planned(output: string, task: PlannedTask = plannedTask()) {
  const read = readPlan(output, task);
  if (read.kind === 'invalid') throw new Error(read.problems.join('\n'));
  return { ...read, remarks: read.plan.remarks.map(({ rule, text }) => `${rule}: ${text}`) };
}

interface Stream {
  owns?: string[];
  reads?: string[];
  deps?: string[];
  plan?: string;
}

const json = (streams: Record<string, Stream>) => fenced(JSON.stringify({ feature: 'x', streams }));

const owned = (output: string, task?: PlannedTask) =>
  Object.fromEntries(planned(output, task).steps.map(({ streamId, owns }) => [streamId, owns]));

function problems(output: string, task: PlannedTask = plannedTask()): string {
  const read = readPlan(output, task);
  return read.kind === 'invalid' ? read.problems.join('\n') : '';
}

describe('an answer', () => {
  const yaml = 'feature: x\nstreams:\n  a:\n    name: A\n    owns: [a.ts]';
  const compact = '{"feature":"x","streams":[{"id":"a","name":"A","owns":["a.ts"],"plan":"p"}]}';
  const example = '```yaml\nfeature: y\nstreams:\n  other:\n    name: O\n```\n';

  it.each([
    ['YAML in a fence', fenced(yaml, 'yaml')],
    ['JSON in a fence', fenced(compact)],
    ['indented JSON', fenced(JSON.stringify(JSON.parse(compact), null, '\t'))],
    ['JSON with a comma too many', fenced(compact.replace(']}', '],}'))],
    ['a fence without a name', fenced(compact, '')],
    ['the last of several fences that look like a plan', example + fenced(compact)],
    ['a fence before another', `${fenced(compact)}\n\`\`\`sh\nls\n\`\`\``],
    ['a fence that is not closed', `So:\n\`\`\`yaml\n${yaml}`],
    ['no fence around YAML', yaml],
    ['no fence around JSON', `I would do this: ${compact} That is all.`],
  ])('is read as a plan from %s', (_, text) => {
    expect(planned(text).steps).toMatchObject([{ streamId: 'a', name: 'A', wave: 1 }]);
  });

  it('keeps the order of its streams, also of numbered ones, and what they wait for', () => {
    const text = 'streams:\n  2: {name: two, owns: [b]}\n  1: {name: one, owns: [a], deps: [2]}';
    expect(planned(fenced(text, 'yaml')).steps).toMatchObject([
      { streamId: '2', waitsFor: [] },
      { streamId: '1', deps: ['2'], waitsFor: [0] },
    ]);
  });

  it.each([
    ['nothing', 'I cannot.', /no fenced block/],
    ['no streams', fenced('{"feature": "x", "streams": {}}'), /`streams` is empty/],
    ['broken YAML', fenced('feature: x\nstreams:\n  a: [', 'yaml'), /line \d+/],
    [
      'thousands of files',
      fenced(`feature: x\nstreams:\n  a:\n    owns: [${'f, '.repeat(2001)}]`, 'yaml'),
      /more than 2000 entries/,
    ],
    [
      'hundreds of patterns',
      json({ a: { owns: Array.from({ length: 101 }, (_, n) => `src/*${n}*.ts`) } }),
      /more than 100 patterns and folders/,
    ],
    [
      'braces that multiply',
      json({ a: { owns: Array(30).fill('src/{a,b,c,d,e}{1,2,3,4,5}{x,y,z}.ts') } }),
      /more than 2000 files/,
    ],
    ['a plan without end', json({ a: { plan: 'x'.repeat(100_001) } }), /longer than 100000/],
    ['more than a plan can be', fenced(`streams: ${'x'.repeat(1024 * 1024)}`), /too large|larger/],
    [
      'aliases that multiply',
      fenced(
        `a: &a [${'x,'.repeat(99)}]\nb: &b [${'*a,'.repeat(99)}]\nstreams: [${'*b,'.repeat(99)}]`,
        'yaml',
      ),
      /alias/i,
    ],
    [
      'more streams than allowed',
      json({ a: {}, b: {}, c: {} }),
      /3 streams; at most 2 are allowed/,
    ],
    [
      'nothing but what is refused',
      json({ a: { owns: ['.git/hooks/pre-commit'] }, b: { owns: ['../x'] } }),
      /No stream is left[^]*\.git is never written[^]*leads out/,
    ],
  ])('with %s cannot be used, and says why', (_, text, problem) => {
    expect(problems(text, plannedTask({ maxSteps: 2 }))).toMatch(problem);
  });
});

describe('a plan that the rules have nothing to say about', () => {
  const plan = [
    'feature: "Reading: the new format"',
    'streams:',
    '  parser.v2:',
    '    name: Read the new format',
    '    owns: [src/parser.ts, "app/[id]/page.tsx", lib/, "docs/*.md"]',
    '    reads: [src/format.ts, ANYTHING.txt]',
    '    plan: |',
    '      Run',
    '      ```sh',
    '      ls',
    '      ```',
    '  tests:',
    '    name: Tests',
    '    deps: [parser.v2]',
    '    owns: [test/parser.test.ts]',
    '    plan: "  one \\n\\n two  "',
    '  free:',
    '    name: Whatever it takes',
    '    deps: [tests]',
    '    plan: See package.json',
  ].join('\n');

  it.each([
    ['no files are known', plannedTask()],
    [
      'some are',
      plannedTask({
        files: ['package.json', 'src', 'other/b.ts'],
        contents: { 'src/format.ts': 'export {};\n' },
      }),
    ],
  ])('is what was proposed, to the byte, where %s', (_, task) => {
    const { steps, remarks } = planned(fenced(plan, 'yaml'), task);
    expect(remarks).toEqual([]);
    expect(steps).toEqual([
      {
        streamId: 'parser.v2',
        name: 'Read the new format',
        wave: 1,
        plan: 'Run\n```sh\nls\n```\n',
        deps: [],
        owns: ['src/parser.ts', 'app/[id]/page.tsx', 'lib/', 'docs/*.md'],
        reads: ['src/format.ts', 'ANYTHING.txt'],
        waitsFor: [],
      },
      {
        streamId: 'tests',
        name: 'Tests',
        wave: 2,
        plan: '  one \n\n two  ',
        deps: ['parser.v2'],
        owns: ['test/parser.test.ts'],
        reads: [],
        waitsFor: [0],
      },
      {
        streamId: 'free',
        name: 'Whatever it takes',
        wave: 3,
        plan: 'See package.json',
        deps: ['tests'],
        owns: [],
        reads: [],
        waitsFor: [1],
      },
    ]);
  });

  it('is a manifest that says the same', () => {
    const read = planned(fenced(plan, 'yaml'));
    const parsed = parseManifest(writeManifest(read.plan));
    if (parsed.kind === 'invalid' || parsed.manifest.notation !== 'B') throw new Error('invalid');
    const streams = [...parsed.manifest.streams.values()];
    expect(parsed.manifest.feature).toBe('Reading: the new format');
    for (const [at, step] of read.steps.entries()) {
      const { id, name, deps, owns, reads, plan: text } = streams[at]!;
      expect({ streamId: id, name, deps, owns, reads, plan: text }).toEqual({
        streamId: step.streamId,
        name: step.name,
        deps: step.deps,
        owns: step.owns,
        reads: step.reads,
        plan: step.plan,
      });
    }
  });
});

describe('where only some of the files are known', () => {
  const some = plannedTask({ contents: { 'src/a.ts': 'a'.repeat(20_000) }, files: ['src/b.ts'] });

  it('new folders, and files that nobody named, may be written and read', () => {
    const stream = { owns: ['pages/about.md', 'src/deep/new.ts'], reads: ['config/site.json'] };
    expect(planned(json({ a: stream }), some)).toMatchObject({ steps: [stream], remarks: [] });
  });

  it('no stream is split because of files that are not there or not known', () => {
    const owns = Array.from({ length: 40 }, (_, n) => `src/new-${n}.ts`);
    expect(owned(json({ a: { owns: ['src/a.ts', 'src/b.ts', ...owns] } }), some)).toEqual({
      a: ['src/a.ts', 'src/b.ts', ...owns],
    });
  });

  it('one is split when the files that are known do not fit one answer', () => {
    const contents = { 'src/a.ts': 'a'.repeat(20_000), 'src/b.ts': 'b'.repeat(20_000) };
    const text = json({ all: { owns: ['src/a.ts', 'src/b.ts'], plan: 'Rename it.' } });
    const parts = { 'all-part-1': ['src/a.ts'], 'all-part-2': ['src/b.ts'] };
    expect(owned(text, plannedTask({ contents }))).toEqual(parts);
    // A longer answer holds both, and where one step is allowed there is one.
    expect(owned(text, plannedTask({ contents, maxTokens: 64_000 }))).toHaveProperty('all');
    expect(owned(text, plannedTask({ contents, maxSteps: 1 }))).toHaveProperty('all');
  });

  it('streams that wait for each other become one only when all of their files are known', () => {
    const chain = (second: string) =>
      json({
        a: { owns: ['src/a.ts'], plan: 'First.' },
        b: { owns: [second], deps: ['a'], plan: 'Then.' },
      });
    const contents = { 'src/a.ts': 'a', 'src/c.ts': 'c' };
    const task = plannedTask({ contents, files: ['src/b.ts'] });
    expect(planned(chain('src/new.ts'), task).steps).toHaveLength(2);
    expect(planned(chain('src/b.ts'), task).steps).toHaveLength(2);
    expect(planned(chain('src/'), task).steps).toHaveLength(2);
    expect(planned(chain('src/c.ts'), task)).toMatchObject({
      steps: [{ streamId: 'a', owns: ['src/a.ts', 'src/c.ts'], plan: 'First.\n\nThen.' }],
      remarks: [expect.stringMatching(/^gain: one stream instead of 2/)],
    });
  });

  it('a folder may be named as if it was a file', () => {
    const task = plannedTask({ files: ['src', 'docs', 'lib/'] });
    const stream = { owns: ['src/a.ts', 'docs/', 'lib/'] };
    expect(planned(json({ a: stream }), task)).toMatchObject({ steps: [stream], remarks: [] });
  });
});

describe('the rules', () => {
  it('drop a dep that closes a circle or leads nowhere, and name ids that are none', () => {
    const read = planned(json({ 'a b': { deps: ['c', 'nobody'] }, c: { deps: ['a b'] } }));
    expect(read.steps).toMatchObject([
      { streamId: 'a-b', deps: ['c'], wave: 2 },
      { streamId: 'c', deps: [], wave: 1 },
    ]);
    expect(read.remarks).toEqual([
      'ids: renamed from a b',
      'ids: dropped the dep nobody: there is no such stream',
      'cycles: dropped the dep a-b: the two would wait for each other',
    ]);
  });

  it('write down who waits for whom where two own the same file', () => {
    const read = planned(json({ a: { owns: ['src/'] }, b: { owns: ['src/b.ts'] } }));
    expect(read.steps).toMatchObject([
      { wave: 1, deps: [], waitsFor: [] },
      { wave: 2, deps: ['a'], waitsFor: [0] },
    ]);
  });

  it('give a package file a stream of its own where there is room for one', () => {
    const text = json({
      a: { owns: ['package.json', 'a.ts'] },
      b: { owns: ['package.json', 'b.ts'] },
    });
    expect(owned(text)).toEqual({ contract: ['package.json'], a: ['a.ts'], b: ['b.ts'] });
    expect(owned(text, plannedTask({ maxSteps: 2 }))).toEqual({
      a: ['package.json', 'a.ts'],
      b: ['package.json', 'b.ts'],
    });
  });

  it('keep one stream that names a package file one stream', () => {
    const task = plannedTask({ files: ['package.json'] });
    const text = json({ a: { owns: ['a.ts'], plan: 'Add a script to package.json.' } });
    expect(owned(text, task)).toEqual({ a: ['a.ts', 'package.json'] });
  });

  it.each([
    ['the repository itself', '.git/config'],
    ['a file with secrets', '.env'],
    ['a folder with secrets', '.ssh/'],
    ['the state of Millrace', '.millrace/config.yaml'],
    ['a file outside', '/etc/passwd'],
  ])('refuse %s, and what came without being sent stays refused', (_, path) => {
    for (const task of [plannedTask(), plannedTask({ files: [path] })]) {
      const read = planned(json({ a: { owns: ['a.ts', path], reads: [path] } }), task);
      expect(read.steps).toMatchObject([{ owns: ['a.ts'], reads: [] }]);
      expect(read.remarks).toHaveLength(2);
    }
  });

  it('take a file that the caller sent for no secret', () => {
    const task = plannedTask({ contents: { '.env': 'PORT=80\n' } });
    expect(owned(json({ a: { owns: ['.env'] } }), task)).toEqual({ a: ['.env'] });
  });
});
