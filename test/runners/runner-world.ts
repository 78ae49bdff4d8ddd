// Repositories, and runners that are processes of their own: each with a home, as on a machine of its own.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeRepository } from '../git/repository.ts';
import type { Git } from '../git/repository.ts';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { waitUntil } from '../support/processes.ts';
import type { TestServer } from '../support/server.ts';

const execute = promisify(execFile);

export interface RunnerProcess {
  pid: number;
  home: string;
  output(): string;
  /** With all that it has started, or alone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  ended: Promise<number | null>;
}

export interface RunnerWorld {
  base: string;
  /** A repository with these files, and its folder. */
  repository(name: string, files: Record<string, string>): { folder: string; git: Git };
  /** A copy of it, as on another machine. */
  copyOf(folder: string, name: string): { folder: string; git: Git };
  /** Whatever a person types on the machine of a runner. */
  command(
    home: string,
    args: readonly string[],
    more?: { env?: Record<string, string>; cwd?: string },
  ): Promise<string>;
  start(
    server: Pick<TestServer, 'url'>,
    key: string,
    options: StartOptions,
  ): Promise<RunnerProcess>;
  remove(): Promise<void>;
}

export interface StartOptions {
  name: string;
  args: readonly string[];
  home?: string;
  env?: Record<string, string>;
  /** Where it is started. */
  cwd?: string;
}

export function makeRunnerWorld(): RunnerWorld {
  const base = mkdtempSync(join(tmpdir(), 'millrace-runners-'));
  const started: RunnerProcess[] = [];
  let homes = 0;
  const envOf = (home: string, more: Record<string, string> = {}) =>
    cleanEnv({
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_DATA_HOME: join(home, 'data'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Test',
      GIT_AUTHOR_EMAIL: 'test@example.com',
      GIT_COMMITTER_NAME: 'Test',
      GIT_COMMITTER_EMAIL: 'test@example.com',
      ...more,
    });
  return {
    base,
    repository(name, files) {
      const folder = join(base, name);
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      return { folder, git: makeRepository(folder) };
    },
    copyOf(folder, name) {
      const to = join(base, name);
      cpSync(folder, to, { recursive: true });
      const git: Git = (...args) => execFileSync('git', args, { cwd: to, encoding: 'utf8' });
      return { folder: to, git };
    },
    async command(home, args, more = {}) {
      const { cwd = base } = more;
      const env = envOf(home, more.env);
      return (await execute(process.execPath, [MAIN, ...args], { env, cwd })).stdout;
    },
    async start(
      server,
      key,
      { name, args, home = join(base, `home-${++homes}`), env = {}, cwd = base },
    ) {
      mkdirSync(home, { recursive: true });
      const settings = { MILLRACE_URL: server.url, MILLRACE_API_KEY: key, ...env };
      const child = spawn(process.execPath, [MAIN, 'runner', '--name', name, ...args], {
        env: envOf(home, settings),
        cwd,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => (output += text));
      }
      const ended = new Promise<number | null>((resolve, reject) => {
        child.on('error', reject);
        child.on('close', resolve);
      });
      const runner: RunnerProcess = {
        pid: child.pid!,
        home,
        output: () => output,
        ended,
        async kill(signal = 'SIGKILL') {
          child.kill(signal);
          await ended;
        },
      };
      started.push(runner);
      await waitUntil(() => {
        if (child.exitCode !== null) throw new Error(output);
        return output.includes('connected');
      }, 'the runner to be connected');
      return runner;
    },
    async remove() {
      await Promise.all(started.map((runner) => runner.kill()));
      // What they had started ends with them.
      await waitUntil(() => {
        try {
          rmSync(base, { recursive: true, force: true });
          return true;
        } catch {
          return false;
        }
      }, 'what runners had started to end');
    },
  };
}
