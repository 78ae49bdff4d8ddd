import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from './patience.ts';

export interface NodeProcess {
  pid: number;
  /** Waits until the output matches; rejects when the process ends without it. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  output(): string;
  readonly ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface NodeProcessOptions {
  uid?: number;
  gid?: number;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/** Each look costs both sides something, often a query: what takes seconds is not looked at all the time. */
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 60;

/** Runs a script with the Node that runs the tests. */
export function startNode(
  script: string,
  args: readonly string[],
  options: NodeProcessOptions = {},
): NodeProcess {
  return startProgram(process.execPath, [script, ...args], options);
}

export function startProgram(
  program: string,
  args: readonly string[],
  options: NodeProcessOptions = {},
): NodeProcess {
  const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  let over = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = endOf(child).finally(() => {
    over = true;
  });
  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    async waitFor(pattern) {
      return waitUntil(() => {
        const match = pattern.exec(output);
        if (!match && over) throw new Error(`Ended without ${String(pattern)}:\n${output}`);
        return match;
      }, String(pattern));
    },
    async kill(signal) {
      child.kill(signal);
      await ended;
    },
  };
}

async function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code));
  });
}

/** Waits for a condition, never for a time; the bound only ends a test that would hang. */
export async function waitUntil<T>(
  condition: () => T | Promise<T>,
  what = 'the condition',
): Promise<NonNullable<T>> {
  const deadline = Date.now() + PATIENCE_MS;
  let pauseMs = SHORTEST_PAUSE_MS;
  while (Date.now() < deadline) {
    const value = await condition();
    if (value) return value;
    await delay(pauseMs);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.2);
  }
  throw new Error(`Waited in vain for ${what}.`);
}
