// A repository of our own making for copies: one commit with the base, and nothing of the person's own: no
// history, remotes, hooks or settings. Its objects are written once and shared, read-only; each copy has
// an index and branches of its own.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeFolder } from '../../platform/make-folder.ts';
import type { Base } from './base.ts';

export interface Repository {
  /** Holds objects, the index and the commit; outside of every copy. */
  folder: string;
  commit: string;
}

const GIT = ['/usr/bin/git', '/usr/local/bin/git', '/run/current-system/sw/bin/git'];
const BRANCH = 'refs/heads/main';

/** Nothing of the machine's or the person's settings, and nothing of the project's own repository. */
const ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Millrace',
  GIT_AUTHOR_EMAIL: 'millrace@example.com',
  GIT_AUTHOR_DATE: '2000-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'Millrace',
  GIT_COMMITTER_EMAIL: 'millrace@example.com',
  GIT_COMMITTER_DATE: '2000-01-01T00:00:00Z',
};
/** No hooks and no monitors; large files are those that go straight into one pack. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.autocrlf=false',
  'core.bigFileThreshold=1',
  'core.compression=0',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

async function git(folder: string, workTree: string, line: string[], input = ''): Promise<string> {
  const child = spawn(
    GIT.find((path) => existsSync(path))!,
    [...SETTINGS, ...line],
    {
      cwd: workTree,
      env: { ...ENVIRONMENT, GIT_DIR: folder, GIT_WORK_TREE: workTree },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  // What git does not read to its end it does not need; its exit code says what went wrong.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [output, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode ?? once(child, 'exit'),
  ]);
  if (child.exitCode !== 0) throw new Error(`git ${line[0]} failed: ${errors.slice(0, 500)}`);
  return output.trim();
}

/** Undefined where there is no git: copies are then plain folders. */
export async function createRepository(
  base: Base,
  folder: string,
): Promise<Repository | undefined> {
  if (!GIT.some((path) => existsSync(path))) return undefined;
  const run = (line: string[], input?: string) => git(folder, base.folder, line, input);
  await run(['init', '-q', '--template=']);
  await run(['update-index', '--add', '-z', '--stdin'], [...base.entries.keys()].join('\0'));
  const tree = await run(['write-tree']);
  return { folder, commit: await run(['commit-tree', tree, '-m', 'Base']) };
}

/** The `.git` of one copy; `objects` is where it finds the shared ones. */
export function linkRepository({ folder, commit }: Repository, target: string, objects: string) {
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) {
    makeFolder(join(target, name));
  }
  writeFileSync(join(target, 'objects/info/alternates'), `${objects}\n`);
  writeFileSync(join(target, 'HEAD'), `ref: ${BRANCH}\n`);
  writeFileSync(join(target, BRANCH), `${commit}\n`);
  writeFileSync(join(target, 'config'), readFileSync(join(folder, 'config')));
  if (existsSync(join(folder, 'index'))) cpSync(join(folder, 'index'), join(target, 'index'));
}
