// `millrace run` as a user starts it, in a project of its own.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunTotals } from '../../src/contract/run-events.ts';
import { now } from './clock.ts';
import type { Stage } from './stage.ts';

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

export async function runCommand(
  stage: Stage,
  files: Record<string, string>,
  flags: readonly string[],
): Promise<RanCommand> {
  const root = mkdtempSync(join(tmpdir(), 'millrace-bench-run-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    const startedAt = now();
    const child = spawn(COMMAND, ['run', '--yes', '--json', '--progress', 'quiet', ...flags], {
      cwd: root,
      env: {
        ...process.env,
        MILLRACE_URL: stage.url,
        MILLRACE_API_KEY: stage.key,
        // Goes with the project.
        MILLRACE_STATE_DIR: join(root, '.millrace'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    let peakMiB = 0;
    const timer = setInterval(() => (peakMiB = Math.max(peakMiB, peakOf(child.pid ?? 0))), 200);
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    clearInterval(timer);
    const ms = now() - startedAt;
    if (code !== 0) throw new Error(`the run ended with ${code}`);
    const { totals } = JSON.parse(output) as { totals: RunTotals };
    return { ms, peakMiB, totals };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
