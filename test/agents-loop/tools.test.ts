// What the tools of the built-in agent do with arguments that no friendly model would write.
import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ScriptedCall } from '../support/scripted-model.ts';
import { NO_SANDBOX, call, calls, done, shown, turns, useLoop } from './loop-projects.ts';

const NO_RIPGREP = spawnSync('rg', ['--version']).status !== 0;
if (NO_RIPGREP) console.log('No ripgrep found: searches are not compared with its own');

describe.skipIf(NO_SANDBOX !== undefined)('the tools of the built-in agent', () => {
  const { server, model, project, options, agents, stream, home } = useLoop();

  /** One turn with these calls, in a project with these files: what the model is shown. */
  async function made(
    asked: ScriptedCall[],
    files: Record<string, string | Buffer> = {},
    more: {
      agents?: ReturnType<typeof agents>;
      stream?: object;
      env?: NodeJS.ProcessEnv;
      prepare?(root: string): void;
    } = {},
  ) {
    const place = project({ a: stream(more.stream) }, {});
    for (const [path, text] of Object.entries(files)) {
      place.write(path, '');
      writeFileSync(join(place.root, path), text);
    }
    more.prepare?.(place.root);
    const keep = call('write', { path: 'src/kept', content: 'kept' });
    model().answer(turns(calls(...asked, keep), done()));
    const { agents: setting, env } = more;
    const own = { ...(setting && { agents: setting }), ...(env && { env }) };
    const ran = await place.run(server, options(own));
    expect(ran.status).toBe('complete');
    return { place, shown: shown(model().calls.at(-1)!).slice(0, -1), root: place.root };
  }

  it('read only the project, in parts, and nothing that is secret, ignored, binary or huge', async () => {
    const long = Array.from({ length: 1000 }, (_, at) => `line ${at + 1}`).join('\n');
    const { shown: answers, place } = await made(
      [
        call('read', { path: 'src/long.txt' }),
        call('read', { path: './src/long.txt', from: 999 }),
        call('read', { path: 'src/long.txt', from: 2000 }),
        call('read', { path: 'src/one-line.txt' }),
        call('read', { path: '../x' }),
        call('read', { path: '/etc/passwd' }),
        call('read', { path: 'src/../../etc/passwd' }),
        call('read', { path: 'src/link' }),
        call('read', { path: 'src/folder-link/passwd' }),
        call('read', { path: 'src' }),
        call('read', { path: 'src/binary' }),
        call('read', { path: 'src/huge' }),
        call('read', { path: '.env' }),
        call('read', { path: '.git/config' }),
        call('read', { path: 'ignored.txt' }),
        call('read', { path: 'a\0b' }),
        call('read', { path: '' }),
        call('read', { path: 'src/a.txt', from: -1 }),
        call('read', {}),
        call('read', '{"path": '),
        call('nothing', {}),
        call('constructor', {}),
      ],
      {
        'src/long.txt': `${long}\n`,
        'src/one-line.txt': 'x'.repeat(100_000),
        'src/binary': Buffer.from([0, 1, 2]),
        'src/huge': 'x'.repeat(9 * 1024 * 1024),
        'src/a.txt': 'a\n',
        '.env': 'SECRET=1',
        '.gitignore': 'ignored.txt\n',
        'ignored.txt': 'x',
      },
      {
        prepare: (root) => {
          symlinkSync('/etc/passwd', join(root, 'src/link'));
          symlinkSync('/etc', join(root, 'src/folder-link'));
        },
      },
    );
    const expected = [
      /^1\tline 1\n[^]*400\tline 400\n\[Lines 1 to 400 of 1000; read on from line 401\]$/,
      /^999\tline 999\n1000\tline 1000\n\[Lines 999 to 1000 of 1000\]$/,
      /has 1000 lines/,
      /^1\tx{2000} \[the line is longer\]$/,
      /"\.\." segment/,
      /absolute/,
      /"\.\." segment/,
      /symbolic link/,
      /symbolic link/,
      /it is a folder/,
      /binary/,
      /larger than/,
      /not part of what you may read/,
      /into \.git/,
      /not part of what you may read/,
      /invisible/,
      /empty/,
      /from: /,
      /path: /,
      /not a JSON object/,
      /There is no tool "nothing"/,
      /There is no tool "constructor"/,
    ];
    for (const [at, shape] of expected.entries()) expect(answers[at], `call ${at}`).toMatch(shape);
    expect(answers).toHaveLength(expected.length);
    expect(place.read('src/kept')).toBe('kept');
  });

  it('list and search within bounds', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 450 }, (_, at) => [
        `many/${at}.txt`,
        `needle ${at} ${'y'.repeat(60)}\n`,
      ]),
    );
    const { shown: answers, root } = await made(
      [
        call('list', { path: 'src' }),
        call('list', { path: 'many' }),
        call('list', { path: '../' }),
        call('list', { path: 'src/link' }),
        call('list', { path: 'src/a.txt' }),
        call('search', { pattern: 'needle', path: 'src' }),
        call('search', { pattern: 'NEEDLE', path: 'src/deep', ignoreCase: true }),
        call('search', { pattern: 'needle', glob: '*.md' }),
        call('search', { pattern: 'needle' }),
        call('search', { pattern: '(' }),
        call('search', { pattern: 'root:', path: 'src/link' }),
        call('search', { pattern: 'SECRET|ignored' }),
        call('search', { pattern: '-e x' }),
        call('search', { pattern: '(x+x+)+y', path: 'slow.txt' }),
      ],
      {
        ...many,
        'src/a.txt': 'a needle\n',
        'src/deep/b.txt': 'two\nneedle\n',
        'slow.txt': `${'x'.repeat(40)}\n`,
        '.env': 'SECRET=1\n',
        '.gitignore': 'dist/\n',
        'dist/x': 'ignored\n',
      },
      { prepare: (at) => symlinkSync('/etc', join(at, 'src/link')) },
    );
    expect(answers[0]).toBe('src/a.txt\nsrc/deep/\nsrc/link (link)');
    expect(answers[1]!.split('\n')).toHaveLength(401);
    expect(answers[1]).toContain('[There are more');
    expect(answers[2]).toMatch(/"\.\." segment/);
    expect(answers[3]).toContain('symbolic link');
    expect(answers[4]).toContain('it is no folder');
    expect(answers[5]).toBe('src/a.txt:1:a needle\nsrc/deep/b.txt:2:needle');
    expect(answers[6]).toBe('src/deep/b.txt:2:needle');
    expect(answers[7]).toBe('No line matches.');
    expect(answers[8]!.length).toBeLessThan(17_000);
    expect(answers[8]).toContain('[There are more');
    expect(answers[9]).toMatch(/[Uu]nterminated|unclosed/);
    expect(answers[10]).toContain('symbolic link');
    expect(answers[11]).toBe('No line matches.');
    expect(answers[12]).toBe('No line matches.');
    expect(answers[13]).toMatch(/took too long|No line matches/);
    expect(root).not.toBe(home());
  });

  it.skipIf(NO_RIPGREP)('search finds the same with ripgrep and without', async () => {
    const searches = [
      call('search', { pattern: 'needle' }),
      call('search', { pattern: 'needle$', path: 'src' }),
      call('search', { pattern: 'NEEDLE', ignoreCase: true, glob: '*.txt' }),
      call('search', { pattern: 'needle', glob: 'src/*.txt' }),
      call('search', { pattern: 'needle', glob: '**/*.{md,txt}' }),
      call('search', { pattern: 'needle', path: 'src/binary' }),
      call('search', { pattern: '(?<=a )needle' }),
      call('search', { pattern: String.raw`(\w)\1dle` }),
      call('search', { pattern: '^-e' }),
      call('search', { pattern: 'needle', path: 'none' }),
      call('search', { pattern: '[' }),
    ];
    const files = {
      'src/a.txt': 'a needle\nb\n',
      'src/crlf.txt': 'a needle\r\nb\r\n',
      'src/deep/b.txt': 'two\nneedle',
      'src/b-c.md': 'needle\n-e x\n',
      'src/.hidden': 'needle\n',
      'src/.ignore': '*.txt\n',
      'src/binary': Buffer.from('needle\nneedle\0needle\n'),
      'src/huge': 'needle\n'.padEnd(9 * 1024 * 1024, 'x'),
      'dist/x': 'needle\n',
      '.gitignore': 'dist/\n',
    };
    const find = async (env: NodeJS.ProcessEnv) => (await made(searches, files, { env })).shown;
    const own = await find({ ...process.env, PATH: '/nowhere' });
    expect(await find(process.env)).toEqual(own);
    expect(own[0]).toContain('src/crlf.txt:1:a needle\nsrc/deep/b.txt:2:needle');
    expect(own[1]).toContain('src/crlf.txt:1:a needle');
    expect(own.slice(6, 9)).not.toContain('No line matches.');
  });

  it('edit, write and delete exactly what they are asked, or nothing', async () => {
    const edit = (path: string, ...edits: [string, string, boolean?][]) =>
      call('edit', {
        path,
        edits: edits.map(([oldText, newText, replaceAll]) => ({ oldText, newText, replaceAll })),
      });
    const { shown: answers, place } = await made(
      [
        edit('src/a.txt', ['one', '1'], ['two', '2']),
        edit('src/a.txt', ['three', '3'], ['absent', '']),
        edit('src/twice.txt', ['x', 'y']),
        edit('src/twice.txt', ['x', 'y', true]),
        edit('src/crlf.txt', ['b', 'c']),
        edit('src/none.txt', ['b', 'c']),
        edit('src/binary', ['b', 'c']),
        edit('../out.txt', ['b', 'c']),
        call('write', { path: 'src/link', content: 'x' }),
        call('write', { path: 'src/folder-link/x', content: 'x' }),
        call('write', { path: 'src/zero', content: 'a\0b' }),
        call('write', { path: 'src/new/deep/file.txt', content: 'new\n' }),
        call('write', { path: 'src/crlf2.txt', content: 'z\ny\n' }),
        call('delete', { path: 'src/gone.txt' }),
        call('delete', { path: 'src/new' }),
        call('delete', { path: 'src/link' }),
        call('write', { path: 'millrace.yaml', content: 'x' }),
      ],
      {
        'src/a.txt': 'one\ntwo\nthree\n',
        'src/twice.txt': 'x\nx\n',
        'src/crlf.txt': 'a\r\nb\r\n',
        'src/crlf2.txt': 'a\r\nb\r\n',
        'src/binary': Buffer.from([0, 98]),
        'src/gone.txt': 'x',
      },
      {
        prepare: (root) => {
          symlinkSync('/tmp/nowhere', join(root, 'src/link'));
          symlinkSync('/tmp', join(root, 'src/folder-link'));
        },
      },
    );
    const expected = [
      /is changed \(2 edits\)/,
      /was not changed.\nThe oldText of edit 2 is not in the file/,
      /2 times \(lines 1, 2\)/,
      /is changed/,
      /is changed/,
      /no such file/,
      /binary/,
      /"\.\." segment/,
      /symbolic link/,
      /symbolic link/,
      /NUL/,
      /is created/,
      /is replaced/,
      /is deleted/,
      /no plain file/,
      /symbolic link/,
      /was not changed/,
    ];
    for (const [at, shape] of expected.entries()) expect(answers[at], `call ${at}`).toMatch(shape);
    expect(place.read('src/a.txt')).toBe('1\n2\nthree\n');
    expect(place.read('src/twice.txt')).toBe('y\ny\n');
    expect(place.read('src/crlf.txt')).toBe('a\r\nc\r\n');
    expect(place.read('src/crlf2.txt')).toBe('z\r\ny\r\n');
    expect(place.read('src/new/deep/file.txt')).toBe('new\n');
    expect(place.exists('src/gone.txt')).toBe(false);
    expect(place.exists('src/zero')).toBe(false);
  });

  it('run only what is allowed, in the copy, within limits that are named, and end what it leaves', async () => {
    const flood = 'i=0; while [ $i -lt 4000 ]; do echo "line $i of many"; i=$((i+1)); done';
    const left = 'setsid sleep 600 & sleep 600 & echo started';
    const full = 'head -c 40000000 /dev/zero >/tmp/full; sleep 30';
    const kill = 'kill -9 $PPID; sleep 5';
    const setting = agents();
    const { shown: answers } = await made(
      [
        call('write', { path: 'src/x', content: 'seen\n' }),
        call('run', { command: 'cat src/x' }),
        call('run', { command: 'cat /etc/hostname' }),
        call('run', { command: 'cat src/x; id' }),
        call('run', { command: flood }),
        call('run', { command: left }),
        call('run', { command: full }),
        call('run', { command: kill }),
        call('run', { command: ' cat src/x ' }),
        call('run', { command: 'echo allowed' }),
      ],
      {},
      {
        stream: { setup: ['true'], verify: ['cat src/x', flood, 'echo out; exit 0'] },
        agents: {
          ...setting,
          commands: ['echo allowed', left, full, kill],
          place: { ...setting.place, limits: { diskBytes: 20_000_000 } },
        },
      },
    );
    expect(answers[1]).toBe('Exit code 0.\nseen');
    expect(answers[2]).toMatch(/not allowed. These can be run:\n[^]*- cat src\/x\n/);
    expect(answers[3]).toContain('not allowed');
    expect(answers[4]!.length).toBeLessThan(17_000);
    expect(answers[4]).toMatch(/line 0 of many[^]*bytes left out\][^]*line 3999 of many$/);
    expect(answers[5]).toBe('Exit code 0.\nstarted');
    expect(answers[6]).toContain('wrote more than');
    expect(answers[7]).toContain('ended');
    expect(answers[8]).toBe('Exit code 0.\nseen');
    expect(answers[9]).toBe('Exit code 0.\nallowed');
  });
});
