// A repository of our own making for copies: one commit with the base, and nothing of the person's own: no
// history, remotes, hooks or settings. Its objects are written once and shared, read-only; each copy has
// an index and branches of its own. One process of git takes all files, while they are being copied.
import { spawn } from 'node:child_process';
import {
  cpSync,
  createReadStream,
  existsSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeFolder } from '../../platform/make-folder.ts';
import { isExecutable } from './base.ts';
import type { BaseEntry } from './base.ts';

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
};
/** No hooks and no monitors; everything in one pack, as it is. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.protectNTFS=false',
  'core.protectHFS=false',
  'core.compression=0',
  'fastimport.unpackLimit=1',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n';
/** Files are in it byte for byte, so a `.gitattributes` must not make git see others. */
const ATTRIBUTES = '* -text -eol -ident -filter -working-tree-encoding\n';
const COMMIT = `commit ${BRANCH}\ncommitter Millrace <millrace@example.com> 946684800 +0000\ndata 4\nBase\n`;

function start(folder: string, line: string[], workTree?: string) {
  const child = spawn(
    GIT.find((path) => existsSync(path))!,
    [...SETTINGS, ...line],
    {
      cwd: folder,
      env: {
        ...ENVIRONMENT,
        GIT_DIR: folder,
        ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  // What git does not read to its end it does not need; its exit code says what went wrong.
  child.stdin.on('error', () => undefined);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  // Awaited by the caller, perhaps only after it has written all.
  ended.catch(() => undefined);
  return { child, ended };
}

async function git(folder: string, line: string[], workTree?: string): Promise<void> {
  const { child, ended } = start(folder, line, workTree);
  child.stdin.end();
  const [, errors] = await ended;
  if (child.exitCode !== 0) throw new Error(`git ${line[0]} failed: ${errors.slice(0, 500)}`);
}

export interface RepositoryWriter {
  /** `copy` is a file that does not change any more. */
  add(path: string, entry: BaseEntry, copy: string): Promise<void>;
  /** `tree` is the folder with all of them. */
  end(tree: string): Promise<Repository>;
}

/** Larger ones are streamed. */
const IN_MEMORY = 1024 ** 2;
const CHUNK = 256 * 1024;

const quoted = (path: string) =>
  `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
/** No repository can have such a path, a copy can. */
const isOfGit = (path: string) => /(?:^|\/)\.git(?:\/|$)/i.test(path);

/** Undefined where there is no git: copies are then plain folders. */
export async function createRepository(folder: string): Promise<RepositoryWriter | undefined> {
  if (!GIT.some((path) => existsSync(path))) return undefined;
  await git(folder, ['init', '-q', '--template=', '--bare']);
  writeFileSync(join(folder, 'config'), CONFIG);
  makeFolder(join(folder, 'info'));
  writeFileSync(join(folder, 'info/attributes'), ATTRIBUTES);
  const { child, ended } = start(folder, ['fast-import', '--quiet', '--done', '--depth=0']);
  const isGone = ended.then(() => undefined);
  let waiting: Buffer[] = [Buffer.from(COMMIT)];
  let length = 0;

  async function flush(): Promise<void> {
    const all = Buffer.concat(waiting);
    waiting = [];
    length = 0;
    if (child.stdin.write(all)) return;
    await Promise.race([once(child.stdin, 'drain'), isGone]);
  }

  async function write(...parts: (string | Buffer)[]): Promise<void> {
    for (const part of parts) {
      const bytes = Buffer.from(part);
      waiting.push(bytes);
      length += bytes.length;
    }
    if (length >= CHUNK) await flush();
  }

  async function addLarge(copy: string, head: string, size: number): Promise<void> {
    await write(head);
    let left = size;
    for await (const chunk of createReadStream(copy, { end: size - 1 })) {
      left -= (chunk as Buffer).length;
      await write(chunk as Buffer);
    }
    // It became shorter before it was copied: the commit has zeros there.
    for (; left > 0; left -= Math.min(left, CHUNK)) {
      await write(Buffer.alloc(Math.min(left, CHUNK)));
    }
    await write('\n');
  }

  return {
    async add(path, entry, copy) {
      if (isOfGit(path) || child.exitCode !== null) return;
      const mode = entry.kind === 'link' ? '120000' : isExecutable(entry) ? '100755' : '100644';
      const head = (size: number) => `M ${mode} inline ${quoted(path)}\ndata ${size}\n`;
      if (entry.kind === 'file' && entry.size > IN_MEMORY) {
        await addLarge(copy, head(entry.size), entry.size);
        return;
      }
      const content = entry.kind === 'link' ? Buffer.from(readlinkSync(copy)) : readFileSync(copy);
      await write(head(content.length), content, '\n');
    },
    async end(tree) {
      await write('done\n');
      await flush();
      child.stdin.end();
      const [, errors] = await ended;
      if (child.exitCode !== 0) throw new Error(`git fast-import failed: ${errors.slice(0, 500)}`);
      const commit = readFileSync(join(folder, BRANCH), 'utf8').trim();
      await git(folder, ['read-tree', commit]);
      // With the times of the files in the index, the first `git status` inside need not read them all.
      await git(folder, ['update-index', '-q', '--refresh'], tree).catch(() => undefined);
      return { folder, commit };
    },
  };
}

/** The `.git` of one copy; `objects` is where it finds the shared ones. */
export function linkRepository({ folder, commit }: Repository, target: string, objects: string) {
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) {
    makeFolder(join(target, name));
  }
  writeFileSync(join(target, 'objects/info/alternates'), `${objects}\n`);
  writeFileSync(join(target, 'HEAD'), `ref: ${BRANCH}\n`);
  writeFileSync(join(target, BRANCH), `${commit}\n`);
  for (const name of ['config', 'info/attributes', 'index']) {
    if (existsSync(join(folder, name))) cpSync(join(folder, name), join(target, name));
  }
}
