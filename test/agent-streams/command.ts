// A run by the command itself, of which every event can be waited for, and the processes that it has started.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { RunEvent } from '../../src/contract/run-events.ts';
import type { Project } from '../orchestrator/project.ts';
import { MAIN, cleanEnv } from '../support/cli.ts';

export interface Command {
  child: ChildProcess;
  events: RunEvent[];
  ended: Promise<number | null>;
  until(isIt: (event: RunEvent) => boolean): Promise<RunEvent>;
}

export function startRun(
  place: Project,
  settings: Record<string, string>,
  more: readonly string[] = [],
): Command {
  const child = spawn(process.execPath, [MAIN, 'run', '--yes', '--json', ...more], {
    cwd: place.root,
    env: cleanEnv(settings),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const events: RunEvent[] = [];
  const waiting = new Set<(event: RunEvent) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = JSON.parse(line) as RunEvent;
    events.push(event);
    for (const one of waiting) one(event);
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    events,
    ended,
    until(isIt) {
      const there = events.find(isIt);
      if (there) return Promise.resolve(there);
      return new Promise((resolve, reject) => {
        waiting.add((event) => isIt(event) && resolve(event));
        void ended.then(() => reject(new Error(`It has ended: ${JSON.stringify(events)}`)));
      });
    },
  };
}

export function lineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

export function descendants(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(file)) return [];
  const children = readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}
