// How long a stream in a sandbox waits for its first instruction, and what its copy takes of the disk, beside a
// worktree of git with its dependencies copied.
import { spawnSync } from 'node:child_process';
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { once } from 'node:events';
import { sandboxEnvironment } from '../../src/sandbox/environment.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { RunBase } from '../../src/sandbox/copy/run-base.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';
import { sequence } from './learn.ts';

const FILES = 5000;
const PACKAGES = 3000;
/** 300 MB in all. */
const PACKAGE_BYTES = 100_000;
const ROUNDS = 5;

function writeProject(folder: string): string[] {
  const pick = sequence(3);
  const files = Array.from({ length: FILES }, (_, index) => `src/m${index % 250}/f${index}.ts`);
  for (const path of files) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    const lines = Array.from(
      { length: 40 },
      (_, line) => `export const v${line} = ${pick(1e9)};\n`,
    );
    writeFileSync(join(folder, path), lines.join(''));
  }
  const content = Buffer.alloc(PACKAGE_BYTES, 'x');
  for (let index = 0; index < PACKAGES; index++) {
    const path = join(folder, 'node_modules', `p${index % 300}`, `${index}.js`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n');
  return ['.gitignore', ...files];
}

interface Measured {
  ms: number;
  megabytes: number;
}

/** All is written before the disk is asked how much there is. */
async function measured(folder: string, work: () => Promise<void> | void): Promise<Measured> {
  const free = () => {
    spawnSync('sync', ['-f', folder]);
    const { bfree, bsize } = statfsSync(folder);
    return bfree * bsize;
  };
  const before = free();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  return { ms, megabytes: Math.max(0, before - free()) / 1e6 };
}

interface Project {
  folder: string;
  files: string[];
}

async function startStream(sandbox: Sandbox, project: Project, base: RunBase) {
  const copy = await sandbox.openCopy({
    ...project,
    isSecret: () => false,
    dependencies: ['node_modules'],
    base,
  });
  const run = await sandbox.start({
    command: ['/bin/echo', 'first'],
    folder: { kind: 'copy', copy },
    environment: sandboxEnvironment({}),
    network: { kind: 'none' },
  });
  const ended = run.ended;
  await once(run.stdout, 'data');
  return { copy, ended };
}

function git(folder: string, ...line: string[]): void {
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com'];
  const { status } = spawnSync('git', ['-C', folder, ...identity, ...line]);
  if (status !== 0) throw new Error(`git ${line[0]} failed.`);
}

export async function measureSandboxStart(): Promise<Figure[]> {
  const base = tempFolder('sandbox');
  const folder = join(base.path, 'project');
  const project = { folder, files: writeProject(folder) };
  const sandbox = createSandbox({ stateFolder: base.path, home: base.path });
  try {
    git(folder, 'init', '-q');
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', 'base');
    const started = Promise.withResolvers<RunBase>();
    let method = '';
    const first = await measured(base.path, async () => {
      const base = await sandbox.openBase({ ...project, isSecret: () => false });
      await startStream(sandbox, project, base);
      started.resolve(base);
    });
    const shared = await started.promise;
    const later: Measured[] = [];
    const rival: Measured[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const one = await measured(base.path, async () => {
        const { copy, ended } = await startStream(sandbox, project, shared);
        method = copy.method;
        void ended;
      });
      later.push(one);
      const tree = join(base.path, `tree-${round}`);
      rival.push(
        await measured(base.path, () => {
          git(folder, 'worktree', 'add', '-q', '--detach', tree);
          spawnSync('cp', ['-a', join(folder, 'node_modules'), tree]);
        }),
      );
      git(folder, 'worktree', 'remove', '--force', tree);
    }
    const of = (list: Measured[], key: keyof Measured) => median(list.map((one) => one[key]));
    const what = 'git worktree add + cp -a';
    return [
      {
        id: 'P21',
        what: `start of a stream to its first instruction (${method})`,
        value: of(later, 'ms'),
        unit: 'ms',
        beside: { what, value: of(rival, 'ms') },
        goal: { atMost: 500 },
      },
      {
        id: 'P21',
        what: 'new disk for it',
        value: of(later, 'megabytes'),
        unit: 'MB',
        beside: { what, value: of(rival, 'megabytes') },
        goal: { atMost: 20 },
      },
      { id: 'P21', what: 'the first of a run, with its repository', value: first.ms, unit: 'ms' },
      { id: 'P21', what: 'new disk for that', value: first.megabytes, unit: 'MB' },
    ];
  } finally {
    await sandbox.close();
    base.remove();
  }
}
