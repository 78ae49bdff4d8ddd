import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { simulateQueue } from '../../src/cli/commands/manifests/ready-queue.ts';
import { diffLines } from '../../src/domain/diff/hunks.ts';
import type { CliResult } from '../support/cli.ts';
import { runEither } from '../support/run-here.ts';
import { verifies } from '../support/verifies.ts';

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'millrace-manifests-'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

let projects = 0;

async function project(files: Record<string, string> = {}) {
  const folder = join(base, `project-${++projects}`);
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const settings = { XDG_CONFIG_HOME: join(base, 'no-settings') };
  return {
    folder,
    read: (name: string) => readFile(join(folder, name), 'utf8'),
    millrace: (args: readonly string[], input?: string) =>
      runEither(['-C', folder, ...args], settings, input),
  };
}

function jsonOf({ stdout }: CliResult): Record<string, unknown> {
  expect(stdout.trim().split('\n')).toHaveLength(1);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** What `patch` would make of it. */
function applyDiff(before: string, diff: string): string {
  const lines = before.split('\n');
  const hunks = diff.trimEnd().split(/^@@ -/m).slice(1);
  // From the last to the first, so that the line numbers of the others stay true.
  for (const hunk of hunks.toReversed()) {
    const [head = '', ...body] = hunk.trimEnd().split('\n');
    const [start = 0, count = 0] = head.split(' ')[0]!.split(',').map(Number);
    const old = body.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
    expect(lines.slice(start - 1, start - 1 + count)).toEqual(old);
    const after = body.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
    lines.splice(start - 1, count, ...after);
  }
  return lines.join('\n');
}

const SHOP = `feature: shop  # the whole shop
streams:
  schema:
    name: Tables
    owns: [db/schema.sql]
    appliedAt: "2026-01-01T00:00:00Z"
  api:
    name: Routes
    deps: [schema]
    owns: [src/api/**]
  web:
    name: Pages
    owns: [src/web/, src/api/types.ts]
  tests:
    name: Tests
    deps: [api, web]
    owns: [test/]
`;
const CYCLIC = `feature: f
streams:
  a: {name: A, deps: [b], owns: [x.ts]}
  b: {name: B, deps: [a]}
  c: {name: C, reads: [x.ts]}
`;
const UNLEARNED = `feature: f
streams:
  # the first
  a:
    name: A
    owns: [a.ts]
    reads: [b.ts]
  b:
    name: B   # keeps this
    owns: [b.ts]
    reads: [a.ts]
  c:
    name: C
    reads: [a.ts]
`;

describe('millrace init', () => {
  it.each(['basic', 'feature', 'workflow'])('writes a valid manifest from %s', async (template) => {
    const { millrace, read, folder } = await project();
    const made = jsonOf(await millrace(['init', '--template', template, '--json']));
    expect(made).toEqual({
      file: 'millrace.yaml',
      notation: template === 'workflow' ? 'A' : 'B',
      streams: expect.any(Array),
    });
    expect(await read('millrace.yaml')).toMatch(/^# yaml-language-server: \$schema=/);
    const plan = jsonOf(await millrace(['plan', '--json']));
    expect(Object.keys(plan['streams'] as object)).toEqual(made['streams']);
    // Valid, but nobody has said yet what to do.
    const unedited = await millrace(['validate']);
    expect(unedited.code).toBe(EXIT.ok);
    expect(unedited.stdout).toMatch(/millrace\.yaml:\d+:\d+.*warning.*PLACEHOLDER_PLAN/);
    expect((await millrace(['validate', '--strict'])).code).toBe(EXIT.usage);
    expect(plan['warnings']).toEqual([expect.objectContaining({ code: 'PLACEHOLDER_PLAN' })]);
    for (const args of [['plan'], ['run', '--dry-run']]) {
      const { code, stderr } = await millrace(args);
      expect(code).toBe(EXIT.ok);
      expect(stderr.match(/The plan of "[\w-]+" is still a TODO\./g)).toHaveLength(1);
      expect(stderr).toContain('Replace the TODO with');
    }
    const text = await read('millrace.yaml');
    await writeFile(
      join(folder, 'millrace.yaml'),
      text.replace(/TODO: .*/, 'Add a greeting to every page.'),
    );
    const edited = await millrace(['validate', '--strict']);
    expect([edited.code, edited.stderr]).toEqual([EXIT.ok, 'millrace.yaml is valid.\n']);
    expect((await millrace(['plan'])).stderr).toBe('');
  });

  it('finds out what checks the project and where its sources are', async () => {
    const node = await project({
      'package.json':
        '{"scripts":{"test":"vitest","lint":"oxlint"},"devDependencies":{"typescript":"*"}}',
      'tsconfig.json': '{}',
      'lib/a.ts': '',
    });
    await node.millrace(['init', '--name', 'a "quoted": name']);
    const text = await node.read('millrace.yaml');
    expect(text).toContain('verify: ["npm test", "npx tsc --noEmit", "npm run lint"]');
    expect(text).toContain('owns: [lib/]');
    expect(jsonOf(await node.millrace(['plan', '--json']))['manifest']).toBe('a "quoted": name');
    const broken = await project({ 'package.json': '{' });
    expect((await broken.millrace(['init'])).code).toBe(EXIT.ok);
  });

  it('never overwrites unless told to', async () => {
    const { millrace, read } = await project({ 'millrace.yaml': 'mine\n' });
    const refused = await millrace(['init']);
    expect(refused.code).toBe(EXIT.usage);
    expect(refused.stderr).toContain('--force');
    expect(await read('millrace.yaml')).toBe('mine\n');
    expect((await millrace(['init', '--force'])).code).toBe(EXIT.ok);
    expect(await read('millrace.yaml')).toContain('streams:');
    expect((await millrace(['init', '--template', 'grand', 'x.yaml'])).code).toBe(EXIT.usage);
  });

  it('changes no other file', async () => {
    const { millrace, read } = await project({ '.git/HEAD': '', '.gitignore': 'dist' });
    expect((await millrace(['init'])).code).toBe(EXIT.ok);
    expect(await read('.gitignore')).toBe('dist');
  });
});

describe('millrace validate', () => {
  it('shows each problem with its place, its line and what to do', async () => {
    verifies('cli.exit-codes');
    const { millrace } = await project({
      'bad.yaml': CYCLIC.replace('[x.ts]}', '[x.ts], dpes: 1}'),
    });
    const { code, stdout, stderr } = await millrace(['validate', 'bad.yaml']);
    expect(code).toBe(EXIT.usage);
    const [first, line, caret, hint] = stdout.split('\n');
    expect(first).toMatch(/^bad\.yaml:3:\d+ error CYCLE /);
    expect(line).toContain('a: {name: A, deps: [b]');
    expect(caret!.indexOf('^')).toBe(3 + Number(/:(\d+) error/.exec(first!)![1]));
    expect(hint).toContain('hint: ');
    expect(stdout).toContain('warning');
    expect(stderr).toBe('1 error, 1 warning\n');
  });

  it('prints one document with --json, in which a cycle names its streams', async () => {
    verifies('cli.validate-json');
    const { millrace } = await project({ 'a.yaml': SHOP, 'b.yaml': CYCLIC });
    expect(jsonOf(await millrace(['validate', 'a.yaml', '--json']))).toEqual({
      ok: true,
      problems: [],
    });
    const both = await millrace(['validate', 'a.yaml', 'b.yaml', '--json']);
    expect(both.code).toBe(EXIT.usage);
    expect(jsonOf(both)).toMatchObject({ ok: false });
    expect((jsonOf(both)['problems'] as { code: string }[])[0]).toEqual({
      severity: 'error',
      code: 'CYCLE',
      message: expect.any(String),
      hint: expect.any(String),
      path: expect.stringContaining('deps'),
      file: 'b.yaml',
      line: 3,
      column: expect.any(Number),
      cycle: ['a', 'b'],
    });
  });

  it('reads standard input, and takes warnings for errors with --strict', async () => {
    const { millrace } = await project();
    const warned = 'feature: f\nstreams:\n  a:\n    name: A\n    colour: red\n';
    expect((await millrace(['validate', '-'], SHOP)).code).toBe(EXIT.ok);
    expect((await millrace(['validate', '-'], warned)).code).toBe(EXIT.ok);
    const strict = await millrace(['validate', '-', '--strict', '--json'], warned);
    expect([strict.code, jsonOf(strict)['ok']]).toEqual([EXIT.usage, false]);
    expect((await millrace(['validate', '-', '-'], SHOP)).code).toBe(EXIT.usage);
  });

  it('says what to do about a file that is missing, a folder, or no text', async () => {
    const { millrace, folder } = await project();
    await writeFile(join(folder, 'latin.yaml'), Buffer.from([0x66, 0xe9]));
    const missing = await millrace(['validate']);
    expect(missing).toMatchObject({ code: EXIT.usage, stdout: '' });
    expect(missing.stderr).toMatch(/No file millrace\.yaml[^]*millrace -C \S+ init/);
    expect((await millrace(['validate', '.'])).code).toBe(EXIT.usage);
    expect((await millrace(['validate', 'latin.yaml'])).stderr).toContain('UTF-8');
  });

  it('does not pass escape codes of a manifest on to the terminal', async () => {
    const { millrace } = await project();
    const evil = 'feature: f\nstreams:\n  a:\n    name: A\n    "x\\e[31m": 1 # \u0085\u009b31m\n';
    const checked = await millrace(['validate', '-'], evil);
    const named = SHOP.replace('feature: shop', 'feature: "a\\e[31mb"');
    const planned = await millrace(['plan', '-'], named);
    expect(planned.stdout).toMatch(/^a.\[31mb /u);
    const shown = checked.stdout + checked.stderr + planned.stdout;
    // oxlint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\u001b\u009b]/);
  });
});

describe('millrace plan', () => {
  it('--json has waves, streams with reasons and estimates, totals and warnings', async () => {
    verifies('cli.plan-json', 'cli.exit-codes');
    const { millrace } = await project({ 'millrace.yaml': SHOP, 'src/api/a.ts': 'x'.repeat(3600) });
    const plan = jsonOf(await millrace(['plan', '--json', '--model', 'sim-fast']));
    expect(plan).toMatchObject({
      manifest: 'shop',
      notation: 'B',
      waves: [['schema', 'web'], ['api'], ['tests']],
      criticalPath: ['schema', 'api', 'tests'],
      warnings: [],
    });
    const streams = plan['streams'] as Record<string, Record<string, unknown>>;
    expect(streams['schema']).toMatchObject({ wave: 1, status: 'pending', action: 'skip' });
    expect(streams['api']).toMatchObject({
      wave: 2,
      status: 'pending',
      action: 'run',
      waitsFor: [
        { id: 'schema', reason: 'dep' },
        { id: 'web', reason: 'owns', shared: { mine: 'src/api/**', theirs: 'src/api/types.ts' } },
      ],
      estimate: {
        inputTokens: expect.any(Number),
        outputTokens: expect.any(Number),
        costUsd: expect.any(Number),
        durationMs: expect.any(Number),
      },
    });
    expect(plan['totals']).toMatchObject({
      streams: 4,
      toRun: 3,
      skipped: 1,
      simulated: true,
      // The cap of each call, for the three attempts of the three streams.
      worstCase: { attempts: 3, outputTokens: 3 * 3 * 8192 },
    });
    const totals = plan['totals'] as Record<'inputTokens' | 'outputTokens' | 'costUsd', number>;
    // The prices of the simulator: 3 and 15 dollars for a million tokens.
    const cost = (totals.inputTokens * 3 + totals.outputTokens * 15) / 1e6;
    expect(totals.costUsd).toBeCloseTo(cost, 9);
  });

  it('lists whose checks run again because a later stream may change their files', async () => {
    const owns = 'owns: [f.ts]';
    const manifest = `feature: f\nstreams:
  a: { name: A, ${owns}, verify: [check a] }
  b: { name: B, ${owns}, deps: [a], verify: [check b] }
  c: { name: C, ${owns}, deps: [b], verify: [check b] }
  d: { name: D, owns: [d.ts], deps: [c] }
`;
    const { millrace } = await project({ 'millrace.yaml': manifest });
    const plan = jsonOf(await millrace(['plan', '--json']));
    const streams = plan['streams'] as Record<string, { rechecks: string[] }>;
    const listed = Object.entries(streams).map(([id, { rechecks }]) => [id, rechecks]);
    expect(listed).toEqual([
      ['a', []],
      ['b', ['a']],
      ['c', ['a']],
      ['d', []],
    ]);
    expect((await millrace(['plan'])).stdout).toContain('      rechecks a\n');
  });

  it('says at most what the run could cost, and takes the attempts that a run is allowed', async () => {
    const { millrace } = await project({ 'millrace.yaml': SHOP });
    const { stdout } = await millrace(['plan', '--model', 'sim-fast']);
    expect(stdout).toContain('At most $1.2');
    expect(stdout).toContain('all 3 attempts');
    const dry = ['run', '--dry-run', '--model', 'sim-fast', '--max-attempts', '1', '--json'];
    expect(jsonOf(await millrace(dry))).toMatchObject({ totals: { worstCase: { attempts: 1 } } });
  });

  it('warns where the files of a stream are larger than an answer can be', async () => {
    const manifest =
      'feature: f\nstreams:\n  a:\n    name: A\n    owns: [big.ts, lib/]\n    plan: p\n';
    const { millrace } = await project({
      'millrace.yaml': manifest,
      'big.ts': 'x'.repeat(300_000),
    });
    const warned = async (...args: string[]) =>
      jsonOf(await millrace(['plan', '--json', ...args]))['warnings'];
    expect(await warned('--model', 'claude-opus-4-5')).toMatchObject([
      { code: 'OWNED_TOO_LARGE', path: 'streams.a.owns' },
    ]);
    const { stderr } = await millrace(['plan', '--model', 'claude-opus-4-5']);
    expect(stderr).toContain('a owns about 83k tokens, but one answer holds 64k');
    // Of a folder only single files count: nobody rewrites all of it at once.
    const many = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`lib/${at}.ts`, 'x'.repeat(60_000)]),
    );
    const other = await project({ 'millrace.yaml': manifest, ...many });
    expect(
      jsonOf(await other.millrace(['plan', '--json', '--model', 'gpt-5.2']))['warnings'],
    ).toEqual([]);
  });

  it('shows what the model would see of the project, and warns before it is paid for', async () => {
    const { millrace } = await project({
      'millrace.yaml':
        'feature: f\ncontextTokens: 1000\nstreams:\n  a:\n    name: A\n    owns: [big.ts]\n    reads: [notes.md]\n  b:\n    name: B\n    reads: [notes.md]\n    contextTokens: 200000\n',
      'big.ts': `export const first = 1;\n${'console.log("words and words");\n'.repeat(400)}`,
      'notes.md': 'many words in a line\n'.repeat(300),
    });
    const planned = jsonOf(await millrace(['plan', '--json', '--model', 'gpt-4o']));
    const { a, b } = planned['streams'] as Record<string, { context: { files: object[] } }>;
    expect(a!.context).toMatchObject({ maxTokens: 1000, windowTokens: 128_000, omitted: [] });
    expect(a!.context.files).toEqual([
      { path: 'big.ts', role: 'owned', shown: 'outline', tokens: expect.any(Number) },
      { path: 'notes.md', role: 'read', shown: 'beginning', tokens: expect.any(Number) },
    ]);
    expect(b!.context.files).toMatchObject([{ path: 'notes.md', shown: 'full' }]);
    expect(planned['warnings']).toMatchObject([
      { severity: 'warning', code: 'OWNED_FILE_CUT', path: 'streams.a' },
      { severity: 'warning', code: 'CONTEXT_CUT', path: 'streams.a' },
      { severity: 'warning', code: 'CONTEXT_OVER_WINDOW', path: 'streams.b' },
    ]);
    const { stdout, stderr } = await millrace(['plan', '--context']);
    expect(stdout).toMatch(/shows 2 files, \S+ tokens, 1 as outline, 1 only in part\n/);
    expect(stdout).toMatch(/\n {8}big\.ts {2}outline, \d+\n {8}notes\.md {2}beginning, \d+\n/);
    expect(stderr).toContain('OWNED_FILE_CUT a: the model sees only part of big.ts');
    expect(stderr).toContain('Raise contextTokens');
    const dry = await millrace(['run', '--dry-run', '--model', 'sim-fast']);
    expect(dry.stdout).toContain('shows 2 files');
    expect(dry.stderr).toContain('OWNED_FILE_CUT');
  });

  it("lists the repository's instructions that streams would get, or leaves them out", async () => {
    const { millrace } = await project({
      'millrace.yaml':
        'feature: f\nmodel: sim-fast\nstreams:\n  a:\n    name: A\n    owns: [src/deep/a.ts]\n  b:\n    name: B\n    owns: [b.ts]\n',
      'AGENTS.md': 'Write short names.\n',
      'src/AGENTS.md': 'Write long names.\n'.repeat(4000),
      'src/deep/CLAUDE.md': 'Write no names.\n',
    });
    const contexts = async (...args: string[]) => {
      const { streams, totals } = jsonOf(await millrace(['plan', '--json', ...args])) as {
        streams: Record<string, { context: { instructions: object } }>;
        totals: { inputTokens: number };
      };
      const { a, b } = streams;
      return { a: a!.context.instructions, b: b!.context.instructions, ...totals };
    };
    const tokens = expect.any(Number);
    const shown = await contexts();
    expect(shown).toMatchObject({
      a: {
        files: [
          { path: 'src/AGENTS.md', shown: 'beginning', tokens },
          { path: 'src/deep/CLAUDE.md', shown: 'full', tokens },
        ],
        cut: [
          { path: 'AGENTS.md', reason: 'left out' },
          { path: 'src/AGENTS.md', reason: 'only its beginning is shown' },
        ],
      },
      b: { files: [{ path: 'AGENTS.md', shown: 'full', tokens }], cut: [] },
    });
    const none = { files: [], cut: [] };
    const without = await contexts('--no-instructions');
    expect(without).toMatchObject({ a: none, b: none });
    expect(shown.inputTokens - without.inputTokens).toBeGreaterThan(6000);
    const { stdout } = await millrace(['plan', '--context']);
    expect(stdout).toMatch(
      /\n {8}src\/AGENTS\.md {2}instructions, beginning, \d\.\dk\n {8}src\/deep\/CLAUDE\.md {2}instructions, \d+\n {8}AGENTS\.md {2}instructions, left out\n/,
    );
    const warned = jsonOf(await millrace(['plan', '--json']))['warnings'] as { code: string }[];
    const cut = warned.filter(({ code }) => code === 'INSTRUCTIONS_CUT');
    const why = '(a): the instructions of the repository are longer than a prompt has room for.';
    expect(cut).toMatchObject([
      { severity: 'warning', message: `AGENTS.md: left out ${why}` },
      { message: `src/AGENTS.md: only its beginning is shown ${why}` },
    ]);
    expect((await millrace(['plan', '--context', '--no-instructions'])).stdout).not.toMatch(
      /instructions|src\/deep\/CLAUDE/,
    );
    const estimate = async (...args: string[]) =>
      /Estimate: (\S+) tokens in/.exec((await millrace(['run', '--dry-run', ...args])).stdout)?.[1];
    expect(await estimate()).not.toBe(await estimate('--no-instructions'));
  });

  it('tells a price that it knows from one that it does not', async () => {
    const { millrace } = await project({ 'millrace.yaml': SHOP });
    const totals = async (...args: string[]) =>
      jsonOf(await millrace(['plan', '--json', ...args]))['totals'] as Record<string, unknown>;
    expect((await totals('--model', 'claude-opus-4-5'))['costUsd']).toBeGreaterThan(0);
    expect(await totals()).toMatchObject({ costUsd: null, unpriced: 3, simulated: false });
    expect(await totals('--model', 'openai:nobody-knows-it')).toMatchObject({ costUsd: null });
    expect((await millrace(['plan'])).stdout).toContain('cost unknown');
    expect((await millrace(['plan', '--model', 'sim-fast'])).stdout).toMatch(
      /\$0\.\d+ \(simulated\)/,
    );
  });

  it('shows in 80 columns what runs, what is done and why who waits', async () => {
    const long = SHOP.replaceAll('web', `w${'e'.repeat(100)}b`);
    const { millrace } = await project({ 'millrace.yaml': SHOP, 'long.yaml': long });
    const { stdout } = await millrace(['plan']);
    expect(stdout).toMatch(/^shop {2}4 streams: 3 to run, 1 done\n/);
    expect(stdout).toMatch(/schema +skip +applied 2026/);
    expect(stdout).toContain(
      'after schema (dep), web (owns: src/api/** overlaps src/api/types.ts)',
    );
    expect(stdout).toContain('Longest chain: schema > api > tests');
    for (const args of [['--graph', 'ascii'], []]) {
      const wide = (await millrace(['plan', ...args])).stdout.split('\n');
      expect(Math.max(...wide.map((line) => line.length))).toBeLessThanOrEqual(80);
    }
    const cut = await millrace(['plan', 'long.yaml', '--graph', 'ascii']);
    expect(Math.max(...cut.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('--detailed-exitcode says whether there is work to do', async () => {
    verifies('cli.exit-codes');
    const { millrace } = await project({
      'millrace.yaml': SHOP,
      'done.yaml': 'feature: f\nstreams:\n  a:\n    name: A\n    status: complete\n',
      'bad.yaml': CYCLIC,
    });
    const flag = '--detailed-exitcode';
    expect((await millrace(['plan'])).code).toBe(0);
    expect((await millrace(['plan', flag])).code).toBe(10);
    expect((await millrace(['plan', 'done.yaml', flag])).code).toBe(0);
    const bad = await millrace(['plan', 'bad.yaml', flag, '--json']);
    expect(bad.code).toBe(2);
    expect(jsonOf(bad)).toMatchObject({
      error: { code: 'MANIFEST_INVALID', problems: [{ code: 'CYCLE' }] },
    });
    expect((await millrace(['plan', 'bad.yaml'])).stderr).toContain('bad.yaml:3:');
    for (const args of [
      ['--concurrency', '0'],
      ['--concurrency', 'x'],
      ['--graph', 'pie'],
    ]) {
      expect((await millrace(['plan', ...args])).code).toBe(EXIT.usage);
    }
  });

  it('draws the graph in plain characters, for Mermaid and for Graphviz', async () => {
    const { millrace } = await project({ 'millrace.yaml': SHOP });
    const draw = async (format: string) => (await millrace(['plan', '--graph', format])).stdout;
    expect(await draw('ascii')).toBe(
      [
        'Wave 1',
        '  schema --.',
        '  web    --+--.',
        'Wave 2',
        '  api    <-*--o--.',
        'Wave 3',
        '  tests  <----*--*',
        '',
        '* depends on   o writes the same files   . others wait for it',
        '',
      ].join('\n'),
    );
    const mermaid = await draw('mermaid');
    expect(mermaid.split('\n')[0]).toBe('flowchart LR');
    expect(mermaid).toContain('s0["schema"]');
    expect(mermaid).toMatch(/s\d --> s\d/);
    expect(mermaid).toMatch(/s\d -\. owns \.-> s\d/);
    const dot = await draw('dot');
    expect(dot).toMatch(/^digraph "shop" \{\n[^]*\n\}\n$/);
    const named = SHOP.replace('feature: shop', 'feature: "a \\"b\\" \\\\ c"');
    const { stdout } = await millrace(['plan', '-', '--graph', 'dot'], named);
    expect(stdout).toContain('digraph "a \\"b\\" \\\\ c" {');
    const both = jsonOf(await millrace(['plan', '--json', '--graph', 'dot']));
    expect(both['graph']).toBe(dot.trimEnd());
  });

  it('estimates the time of a queue: at once what can be, the longest way first', () => {
    const stream = (id: string, durationMs: number, ...waitsFor: string[]) => ({
      id,
      durationMs,
      waitsFor,
    });
    const streams = [stream('a', 1), stream('b', 1), stream('c', 1), stream('d', 5, 'c')];
    expect(simulateQueue(streams, 4)).toBe(6);
    expect(simulateQueue(streams, 1)).toBe(8);
    // c goes first, although it is the last of the three.
    expect(simulateQueue(streams, 2)).toBe(6);
    expect(simulateQueue([], 3)).toBe(0);
  });
});

describe('millrace learn', () => {
  it('--json has what was added, dropped with its cycle, cycles and broad reads', async () => {
    verifies('cli.learn-json');
    const { millrace, read } = await project({ 'millrace.yaml': UNLEARNED });
    const result = await millrace(['learn', '--json']);
    expect(result.code).toBe(EXIT.ok);
    const learned = jsonOf(result) as { added: object[]; dropped: object[] };
    expect(learned).toMatchObject({ cycles: [], broadReads: [], written: false });
    expect(learned.added).toContainEqual({ stream: 'c', dep: 'a', reads: ['a.ts'] });
    expect(learned.added).toHaveLength(2);
    expect(learned.dropped).toHaveLength(1);
    expect(learned.dropped[0]).toMatchObject({ cycle: expect.arrayContaining(['a', 'b']) });
    expect(await read('millrace.yaml')).toBe(UNLEARNED);
  });

  it('shows the change as a diff that can be applied, and makes it with --write', async () => {
    const { millrace, read, folder } = await project({ 'millrace.yaml': UNLEARNED });
    const shown = await millrace(['learn']);
    expect(shown.stderr).toContain('--write');
    const diff = shown.stdout.slice(shown.stdout.indexOf('--- a/'));
    await chmod(join(folder, 'millrace.yaml'), 0o640);
    await symlink('millrace.yaml', join(folder, 'link.yaml'));
    expect((await millrace(['learn', 'link.yaml', '--write'])).code).toBe(EXIT.ok);
    const written = await read('millrace.yaml');
    expect(written).toContain('name: B   # keeps this');
    expect(((await stat(join(folder, 'millrace.yaml'))).mode & 0o777).toString(8)).toBe('640');
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect((await millrace(['learn'])).stdout).not.toContain('Added');
    expect(applyDiff(UNLEARNED, diff)).toBe(written);
  });

  it('reports cycles of explicit deps with 2 and keeps them', async () => {
    verifies('cli.learn-json', 'cli.exit-codes');
    const { millrace, read } = await project({ 'millrace.yaml': CYCLIC });
    const result = await millrace(['learn', '--json', '--write']);
    expect(result.code).toBe(EXIT.usage);
    expect(jsonOf(result)).toMatchObject({
      added: [{ stream: 'c', dep: 'a' }],
      cycles: [['a', 'b']],
      written: true,
    });
    expect(await read('millrace.yaml')).toContain('deps: [b]');
    expect(await read('millrace.yaml')).toContain('deps: [a]');
  });

  it('refuses what it cannot do', async () => {
    const { millrace } = await project({ 'bad.yaml': 'feature: f\nstreams: 7\n' });
    expect((await millrace(['learn', '--write', '-'], SHOP)).code).toBe(EXIT.usage);
    expect((await millrace(['learn', '-'], UNLEARNED)).stdout).toContain('--- a/stdin');
    expect((await millrace(['learn', 'bad.yaml'])).code).toBe(EXIT.usage);
    expect((await millrace(['learn', 'none.yaml'])).code).toBe(EXIT.usage);
  });
});

describe('the diff', () => {
  it('is empty for equal texts, and complete for different ones', () => {
    expect(diffLines('f', 'a\nb\n', 'a\nb\n')).toEqual([]);
    expect(diffLines('f', 'a\nb\nc\n', 'a\nx\nc\n')).toEqual([
      '--- a/f',
      '+++ b/f',
      '@@ -1,3 +1,3 @@',
      ' a',
      '-b',
      '+x',
      ' c',
    ]);
  });
});
