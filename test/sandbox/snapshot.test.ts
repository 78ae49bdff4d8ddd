// The project goes its own way while copies of it are in use.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Copy } from '../../src/sandbox/copy/copy.ts';
import type { RunBase } from '../../src/sandbox/copy/run-base.ts';
import { sandboxEnvironment } from '../../src/sandbox/environment.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { NO_SANDBOX } from './world.ts';

let base: string;
let folder: string;
let sandbox: Sandbox;
beforeEach(() => {
  base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-snapshot-')));
  folder = join(base, 'a project, 1:2');
  write('a.txt', 'a\n');
  write('src/b.txt', 'b\n');
  write('src/deep/c.txt', 'c\n');
  write('swap/inner.txt', 'inner\n');
  write('turn', 'turn\n');
  if (NO_SANDBOX === undefined) {
    sandbox = createSandbox({ stateFolder: join(base, 'state'), home: base });
  }
});
afterEach(async () => {
  await sandbox?.close();
  rmSync(base, { recursive: true, force: true });
});

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** All that a walk of the project would list. */
function files(): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

const isSecret = (path: string) => path.endsWith('.env');
const openBase = () => sandbox.openBase({ folder, files: files(), isSecret });
const openCopy = (shared: RunBase) =>
  sandbox.openCopy({ folder, files: files(), isSecret, dependencies: [], base: shared });

async function start(copy: Copy, script: string) {
  return sandbox.start({
    command: ['/bin/sh', '-c', script],
    folder: { kind: 'copy', copy },
    environment: sandboxEnvironment({}),
    network: { kind: 'none' },
  });
}

async function run(copy: Copy, script: string): Promise<string> {
  const { stdout, stderr, ended } = await start(copy, script);
  const [output, errors] = await Promise.all([text(stdout), text(stderr), ended]);
  return output + errors;
}

const LIST = 'find . -path ./.git -prune -o ! -type d -print | sort';

describe.skipIf(NO_SANDBOX !== undefined)('the snapshot of a run', () => {
  it('keeps what the project does meanwhile from a running process', async () => {
    const copy = await openCopy(await openBase());
    const process = await start(
      copy,
      'echo ready; read line; cat .env new.txt a.txt src/b.txt; ls turn src/deep; echo end',
    );
    const output = text(process.stdout);
    await once(process.stdout, 'data');
    write('.env', 'SECRET');
    write('new.txt', 'another stream');
    // In place, as some editors write.
    const descriptor = openSync(join(folder, 'a.txt'), 'r+');
    writeSync(descriptor, 'X\n');
    closeSync(descriptor);
    write('src/b.txt', 'other\n');
    rmSync(join(folder, 'turn'));
    rmSync(join(folder, 'src/deep'), { recursive: true });
    process.stdin.end('go\n');
    expect(await output).toBe(
      'ready\na\nb\nturn\nc.txt\nend\n'.replace('turn\n', 'turn\n\nsrc/deep:\n'),
    );
    await process.ended;
    expect((await copy.changes()).changes).toEqual([]);
  });

  it('has what changed until each copy, and the commit stays that of the run', async () => {
    const shared = await openBase();
    expect(await run(await openCopy(shared), 'git status --short; git log --format=%s')).toBe(
      'Base\n',
    );
    write('a.txt', 'A\n');
    write('src/new.txt', 'new\n');
    chmodSync(join(folder, 'src/b.txt'), 0o755);
    rmSync(join(folder, 'src/deep'), { recursive: true });
    rmSync(join(folder, 'swap'), { recursive: true });
    write('swap', 'a_file\n');
    rmSync(join(folder, 'turn'));
    write('turn/inner.txt', 'a_folder\n');
    write('.env', 'SECRET');
    const copy = await openCopy(shared);
    const output = await run(
      copy,
      `${LIST}; ls src; cat a.txt swap turn/inner.txt; echo ---; git status --short`,
    );
    const [list, status] = output.split('---\n');
    expect(list!.trim().replaceAll('\n', ' ')).toBe(
      './a.txt ./src/b.txt ./src/new.txt ./swap ./turn/inner.txt b.txt new.txt A a_file a_folder',
    );
    expect(status!.trimEnd().split('\n')).toEqual([
      ' M a.txt',
      ' M src/b.txt',
      ' D src/deep/c.txt',
      ' D swap/inner.txt',
      ' D turn',
      '?? src/new.txt',
      '?? swap',
    ]);
    expect((await copy.changes()).changes).toEqual([]);
    await run(
      copy,
      'echo a >a.txt; rm src/new.txt; echo A >copy.txt; rm turn/inner.txt; touch swap',
    );
    const { changes } = await copy.changes();
    expect(changes.map(({ path, change }) => `${change} ${path}`)).toEqual([
      'modified a.txt',
      'added copy.txt',
      'deleted src/new.txt',
      'deleted turn/inner.txt',
    ]);
  });

  it('is taken again when very much has changed, and copies before it keep theirs', async () => {
    const shared = await openBase();
    const before = await openCopy(shared);
    for (let number = 0; number < 600; number++) write(`many/${number}.txt`, `${number}\n`);
    const after = await openCopy(shared);
    expect(await run(after, 'ls many | wc -l; cat many/599.txt')).toBe('600\n599\n');
    const snapshots = () => {
      const [own = ''] = readdirSync(join(base, 'state/sandboxes')).filter(
        (name) => !name.includes('.'),
      );
      return readdirSync(join(base, 'state/sandboxes', own)).filter((name) =>
        name.startsWith('snapshot'),
      );
    };
    expect(snapshots()).toHaveLength(2);
    await openCopy(shared);
    expect(snapshots()).toHaveLength(2);
    expect(await run(before, LIST)).not.toContain('many');
  });

  it('holds files as they are: times, modes, endings, odd names, links and large ones', async () => {
    const odd = 'odd "name"\\ with\ttab and\nline';
    write(odd, 'odd\n');
    write('.gitattributes', '* text eol=crlf\n*.big filter=lfs\n$Id$ ident\n');
    write('windows.txt', 'one\r\ntwo\r\n');
    write('unix.txt', 'one\ntwo\n');
    const large = Buffer.alloc(3_000_000, 'large ');
    write('large.big', large);
    write('empty', '');
    write('nested/.git/config', 'of another repository');
    symlinkSync('/etc/passwd', join(folder, 'link'));
    chmodSync(join(folder, 'turn'), 0o755);
    utimesSync(join(folder, 'a.txt'), 1_000_000_000, 1_000_000_000);
    const copy = await openCopy(await openBase());
    expect(await run(copy, 'git status --short; stat -c %Y a.txt; git fsck 2>&1')).toBe(
      '1000000000\n',
    );
    const seen = await run(
      copy,
      'git show HEAD:large.big | cksum; git ls-files -s -z | tr "\\0" "\\n"; git show HEAD:windows.txt | od -c | head -1',
    );
    const { stdout } = spawnSync('cksum', { input: large, encoding: 'utf8' });
    expect(seen).toContain(stdout.trim());
    expect(seen).toContain(odd);
    expect(seen).toMatch(/^100755 \w+ 0\tturn$/m);
    expect(seen).toMatch(/^120000 \w+ 0\tlink$/m);
    expect(seen).toContain('\\r');
  });

  it('of an empty project, and of one that loses a file on the way, works as well', async () => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    const empty = await openCopy(await openBase());
    expect(await run(empty, `${LIST}; git log --format=%s`)).toBe('Base\n');
    const listed = ['gone.txt', 'a.txt'];
    write('a.txt', 'a\n');
    const shared = await sandbox.openBase({ folder, files: listed, isSecret });
    const copy = await sandbox.openCopy({
      folder,
      files: listed,
      isSecret,
      dependencies: [],
      base: shared,
    });
    expect(await run(copy, LIST)).toBe('./a.txt\n');
    expect((await copy.changes()).changes).toEqual([]);
  });
});
