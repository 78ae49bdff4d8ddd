// A server that is killed, or that runs out of memory, cannot stop its database. A shell that waits for the end of a
// pipe can: the kernel closes the other end however the server ends. The server writes the postmaster to watch into that
// pipe, one a line; the last line counts, and an empty one means that none is left.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { PID_FILE } from './data-lock.ts';
import type { Layout } from './placement.ts';
import { postgresProcess } from './postgres-process.ts';

export interface Guard {
  watch(postmaster: number): void;
  /** After the database has stopped. */
  release(): void;
}

// The number of a postmaster may belong to another program by the time it is looked at, so its command line must
// name the cluster. A server that started meanwhile has its own guard and keeps the database: it gets two seconds for
// that. Then a fast shutdown, which leaves nothing to recover; an immediate one if that hangs.
const SCRIPT = `
owner=$1 pid_file=$2 cluster=$3 postmaster=
while read -r line; do postmaster=$line; done
is_running() {
  [ -n "$postmaster" ] || return 1
  command=$(tr '\\0' ' ' <"/proc/$postmaster/cmdline" || ps -ww -o command= -p "$postmaster")
  case $command in *"$cluster"*) return 0 ;; esac
  return 1
}
wait_tenths() {
  tenths=$1
  while [ "$tenths" -gt 0 ]; do
    is_running || exit 0
    sleep 0.1
    tenths=$((tenths - 1))
  done
}
wait_tenths 20
if read -r now <"$pid_file" && [ "$now" != "$owner" ] && kill -0 "$now"; then exit 0; fi
kill -INT "$postmaster"
wait_tenths 100
kill -QUIT "$postmaster"
`;

export function startGuard({ dataDir, clusterDir }: Layout): Guard {
  let watched = 0;
  let isReleased = false;
  let shell: ChildProcess | undefined;

  function write(line: string): void {
    shell?.stdin?.write(`${line}\n`);
  }

  function start(): void {
    const pidFile = join(dataDir, PID_FILE);
    const args = ['-c', SCRIPT, 'millrace-guard', String(process.pid), pidFile, clusterDir];
    // In a group of its own: ctrl-c in a terminal must not reach it. As the user of the server, who may read its files.
    shell = spawn('/bin/sh', args, {
      ...postgresProcess(undefined),
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    shell.on('error', () => undefined);
    shell.stdin!.on('error', () => undefined);
    shell.once('exit', () => {
      // It was killed: the next one takes its place.
      if (!isReleased) setTimeout(start, RESTART_MS).unref();
    });
    // Neither keeps a server alive that has nothing else to do.
    shell.unref();
    (shell.stdin as Socket).unref();
    if (watched > 0) write(String(watched));
  }

  start();
  return {
    watch(postmaster) {
      watched = postmaster;
      write(String(postmaster));
    },
    release() {
      isReleased = true;
      shell?.stdin?.end('\n');
    },
  };
}

const RESTART_MS = 1_000;
