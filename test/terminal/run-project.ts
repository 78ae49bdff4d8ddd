// A copy of the example project, and the command in it against a real server.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { stateHomeOf } from '../../src/config/state-folder.ts';
import { findStateDir } from '../../src/orchestrator/state/state-dir.ts';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { runEither } from '../support/run-here.ts';
import type { CliResult } from '../support/cli.ts';
import type { TestServer } from '../support/server.ts';

const BOOKSHELF = fileURLToPath(new URL('../../examples/bookshelf', import.meta.url));

export interface RunProject {
  folder: string;
  settings: Record<string, string>;
  millrace(args: readonly string[], settings?: Record<string, string>): Promise<CliResult>;
  /** For tests that send signals. */
  start(args: readonly string[]): StartedRun;
  /** Where the state of its runs is kept. */
  stateDir(): Promise<string>;
  read(name: string): Promise<string>;
  write(name: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

export interface StartedRun {
  child: ChildProcess;
  stderr(): string;
  stdout(): string;
  ended: Promise<number | null>;
}

/** Folders of the user, so that no test sees those of whoever runs it. */
export async function createRunProject(server: TestServer): Promise<RunProject> {
  const base = await mkdtemp(join(tmpdir(), 'millrace-run-'));
  const folder = join(base, 'bookshelf');
  await cp(BOOKSHELF, folder, { recursive: true });
  const { key } = await server.createKey();
  const settings = {
    MILLRACE_URL: server.url,
    MILLRACE_API_KEY: key,
    XDG_CONFIG_HOME: join(base, 'config'),
    XDG_STATE_HOME: join(base, 'state'),
    XDG_DATA_HOME: join(base, 'data'),
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    CI: '',
  };
  return {
    folder,
    settings,
    millrace: (args, more = {}) => runEither(['-C', folder, ...args], { ...settings, ...more }),
    start(args) {
      const child = spawn(process.execPath, [MAIN, '-C', folder, ...args], {
        env: cleanEnv(settings),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      const ended = new Promise<number | null>((resolve, reject) => {
        child.on('error', reject);
        child.on('close', resolve);
      });
      return { child, stdout: () => stdout, stderr: () => stderr, ended };
    },
    stateDir: async () => findStateDir(await realpath(folder), stateHomeOf(settings, base)),
    read: (name) => readFile(join(folder, name), 'utf8'),
    write: (name, text) => writeFile(join(folder, name), text),
    remove: () => rm(base, { recursive: true, force: true }),
  };
}

export function eventsIn(stdout: string): RunEvent[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent);
}

export interface StreamText {
  id: string;
  deps?: string[];
  verify?: string[];
  /** What the simulator is told. */
  directives?: string;
}

/** A manifest in which every stream writes a file of its own. */
export function manifestOf(streams: readonly StreamText[], model = 'sim-instant'): string {
  const lines = [`feature: Test`, ...(model === '' ? [] : [`model: ${model}`]), 'streams:'];
  for (const { id, deps = [], verify = [], directives = '' } of streams) {
    lines.push(`  ${id}:`, `    name: About ${id}`, `    owns: [out/${id}.md]`);
    if (deps.length > 0) lines.push(`    deps: [${deps.join(', ')}]`);
    if (verify.length > 0) {
      lines.push('    verify:', ...verify.map((one) => `      - ${JSON.stringify(one)}`));
    }
    lines.push('    plan: |', `      Write about ${id}. ${directives}`);
  }
  return `${lines.join('\n')}\n`;
}
