// The run as a process of its own, that goes on when the terminal is closed.
import { journalOf, makeStateDir, readJournal } from '../../../orchestrator/index.ts';
import type { ProjectPlace } from '../../../orchestrator/index.ts';
import { compileCacheEnv } from '../../../platform/compile-cache.ts';
import { REQUEST_VARIABLE } from '../../../runner/request-env.ts';
import { spawn } from 'node:child_process';
import { openSync, closeSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandOptions } from '../../command.ts';
import { commandLine, shellFolder } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { complain, note, print } from '../../terminal/output.ts';
import { setTimeout as delay } from 'node:timers/promises';

interface Started {
  runId: string;
  seq: number;
}

const TAIL = 4000;

/** In the process of its own: tells who started it which run this is. */
export function tellStarter(started: Started): void {
  if (!process.connected || process.send === undefined) return;
  process.send(started, () => {
    // A runner stays: it ends what it has started.
    if (process.connected && process.env[REQUEST_VARIABLE] === undefined) process.disconnect();
  });
}

/** The same command, without the flag, from the folder we are in now. */
function argumentsOf(argv: readonly string[]): string[] {
  const kept = argv.filter((word) => word !== '--detach');
  return [...kept, '--progress', 'quiet', '--no-input', '-C', process.cwd()];
}

async function isOnDisk(stateDir: string, { runId, seq }: Started): Promise<boolean> {
  const { events } = await readJournal(journalOf(stateDir, runId));
  return (events.at(-1)?.seq ?? 0) >= seq;
}

export async function detach(project: ProjectPlace, options: CommandOptions): Promise<number> {
  await makeStateDir(project);
  const log = join(project.stateDir, 'detached.log');
  const output = openSync(log, 'w', 0o600);
  const [main = '', ...argv] = process.argv.slice(1);
  const child = spawn(process.execPath, [...process.execArgv, main, ...argumentsOf(argv)], {
    detached: true,
    // Its hints are for the shell of the caller.
    cwd: shellFolder(),
    env: { ...process.env, ...compileCacheEnv() },
    stdio: ['ignore', output, output, 'ipc'],
  });
  closeSync(output);
  const outcome = await new Promise<Started | number>((resolve, reject) => {
    child.once('error', reject);
    child.once('message', (message) => resolve(message as Started));
    child.once('exit', (code) => resolve(code ?? EXIT.failed));
  });
  if (typeof outcome === 'number') {
    complain(readFileSync(log, 'utf8').slice(-TAIL).trimEnd());
    return outcome;
  }
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  while (isAlive() && !(await isOnDisk(project.stateDir, outcome))) await delay(20);
  if (child.connected) child.disconnect();
  child.unref();
  const { runId } = outcome;
  print(options['json'] ? JSON.stringify({ runId, pid: child.pid }) : runId);
  note(`Running in the background. Follow it with: ${commandLine('watch', runId)}`);
  return EXIT.ok;
}
