// A small world around a project that came from an enemy: a home folder with a key in it, a folder
// next door, and a server that listens for keys. Nothing in it may change, be read or be called.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pictureOf } from '../support/folder-picture.ts';

export const SECRET = 'canary-of-the-private-key';

export interface World {
  base: string;
  home: string;
  outside: string;
  project: string;
  /** Where a thief listens, on this very machine. */
  thief: string;
  /** What the thief has heard. */
  heard: string[];
  write(path: string, text: string, mode?: number): void;
  link(path: string, target: string): void;
  /** Everything outside of the project, and the git folder in it, as it is now. */
  picture(): string[];
  remove(): Promise<void>;
}

/** What git itself writes when it commits. */
const WRITTEN_BY_GIT = ['objects', 'index', 'refs', 'logs', 'COMMIT_EDITMSG'];

async function startThief(heard: string[]): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export async function createWorld(): Promise<World> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-hostile-')));
  const [home, outside, project] = ['home', 'outside', 'project'].map((name) => join(base, name));
  const heard: string[] = [];
  const thief = await startThief(heard);
  const world: World = {
    base,
    home: home!,
    outside: outside!,
    project: project!,
    thief: thief.url,
    heard,
    write(path, text, mode = 0o644) {
      const file = join(base, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      chmodSync(file, mode);
    },
    link(path, target) {
      const file = join(base, path);
      mkdirSync(dirname(file), { recursive: true });
      symlinkSync(target, file);
    },
    picture: () => [
      // What Millrace keeps for the user is no concern here.
      ...pictureOf(home!, ['.local']),
      ...pictureOf(outside!),
      ...pictureOf(join(project!, '.git'), WRITTEN_BY_GIT),
      ...readdirSync(base).sort(),
    ],
    async remove() {
      await thief.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
  world.write('home/.bashrc', '# mine\n');
  world.write('home/.ssh/id_rsa', `${SECRET}\n`, 0o600);
  world.write('outside/victim.txt', 'precious\n');
  world.write('outside/manifest.yaml', manifest());
  mkdirSync(join(outside!, 'empty'));
  world.write('project/millrace.yaml', manifest());
  world.write('project/src/a.ts', 'export const a = 1;\n');
  world.write('project/.git/HEAD', 'ref: refs/heads/main\n');
  world.write('project/.git/config', '[user]\n\tname = Test\n\temail = test@example.com\n');
  for (const folder of ['hooks', 'objects', 'refs']) {
    mkdirSync(join(project!, '.git', folder));
  }
  return world;
}

/** One stream that owns one file; JSON is YAML. */
export function manifest(stream: object = {}, more: object = {}): string {
  const a = { name: 'About a', owns: ['out/a.md'], plan: 'Write about a.', ...stream };
  return `${JSON.stringify({ feature: 'hostile', model: 'sim-instant', ...more, streams: { a } }, null, 2)}\n`;
}
