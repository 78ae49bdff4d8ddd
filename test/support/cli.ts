// The command `millrace` as a process of its own.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { modeSettings } from './database-mode.ts';
import { inject } from 'vitest';
import { startNode } from './processes.ts';
import type { NodeProcess } from './processes.ts';

/** What Node is started with: see `bundled-command.ts`. */
export const MAIN = inject('command');

/** From the sources, file by file: the way a checkout runs it. */
export const SOURCE_MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

type Settings = Record<string, string>;

/** The environment of the test without any setting of the service, then the given ones. */
export function cleanEnv(settings: Settings): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('MILLRACE_') && !name.startsWith('DATABASE_'),
  );
  // One process each: tests start servers by the dozen.
  const usual = { NO_COLOR: '1', LC_ALL: 'C.UTF-8', MILLRACE_PROCESSES: '1', ...modeSettings() };
  return { ...Object.fromEntries(kept), ...usual, ...settings };
}

/** `input` is what the command finds on its standard input, which is no terminal. */
export async function runCli(
  args: readonly string[],
  settings: Settings = {},
  input = '',
): Promise<CliResult> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: cleanEnv(settings),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that does not read it may end before it is written.
  child.stdin.on('error', () => undefined).end(input);
  const result: CliResult = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (result.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (result.stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...result, code }));
  });
}

export interface ServeProcess extends NodeProcess {
  ready: { ready: boolean; url: string | null; role: string };
}

/** `millrace serve --json`, once it says that it is ready. */
export async function startServe(
  args: readonly string[],
  settings: Settings = {},
): Promise<ServeProcess> {
  const server = startNode(MAIN, ['serve', '--json', ...args], { env: cleanEnv(settings) });
  try {
    const [line] = await server.waitFor(/^\{"ready".*\}$/m);
    return { ...server, ready: JSON.parse(line) as ServeProcess['ready'] };
  } catch (error) {
    await server.kill('SIGKILL');
    throw error;
  }
}
