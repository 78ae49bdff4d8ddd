// `millrace run` as a user starts it, in a project of its own.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunTotals } from '../../src/contract/run-events.ts';
import { now } from './clock.ts';
import type { Stage } from './stage.ts';
import { tempFolder } from './temp-folder.ts';

const COMMAND = fileURLToPath(new URL('../../millrace', import.meta.url));

export interface RanCommand {
  /** From the start of the process to its end. */
  ms: number;
  peakMiB: number;
  totals: RunTotals;
}

/** The most memory that a process has had, in MiB, as the kernel tells it. */
function peakOf(pid: number): number {
  try {
    const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(line?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

export function writeFiles(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
}

/** How long the command takes from the start of its process to its end, and what it printed. */
async function timed(root: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const startedAt = now();
  const child = spawn(COMMAND, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  let peakMiB = 0;
  const timer = setInterval(() => (peakMiB = Math.max(peakMiB, peakOf(child.pid ?? 0))), 200);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`millrace ${args[0]} ended with ${code}`);
  return { ms: now() - startedAt, peakMiB, output };
}

/** In a folder that is there already, and stays. */
export async function runCommandIn(
  root: string,
  stage: Stage,
  flags: readonly string[],
): Promise<RanCommand> {
  const args = ['run', '--yes', '--json', '--progress', 'quiet', ...flags];
  const { ms, peakMiB, output } = await timed(root, args, {
    ...process.env,
    MILLRACE_URL: stage.url,
    MILLRACE_API_KEY: stage.key,
    // Goes with the project.
    MILLRACE_STATE_DIR: join(root, '.millrace'),
  });
  const { totals } = JSON.parse(output) as { totals: RunTotals };
  return { ms, peakMiB, totals };
}

/** What it takes to start the command, with nothing to do. */
export async function startCommandMs(root: string): Promise<number> {
  return (await timed(root, ['--version'], process.env)).ms;
}

/** A project of its own, for as long as the work takes. */
export async function inProject<T>(
  files: Record<string, string>,
  work: (root: string) => Promise<T>,
): Promise<T> {
  const { path: root, remove } = tempFolder('run');
  try {
    writeFiles(root, files);
    return await work(root);
  } finally {
    remove();
  }
}

export async function runCommand(
  stage: Stage,
  files: Record<string, string>,
  flags: readonly string[],
): Promise<RanCommand> {
  return inProject(files, (root) => runCommandIn(root, stage, flags));
}
