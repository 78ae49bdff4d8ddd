// The processes of a command without namespaces: those of its process group, those below it, and those that were seen
// below it before. On macOS one that leaves the group and its parent between two readings is missed; it stays sandboxed.
import { spawnSync } from 'node:child_process';

export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  /** When it began: numbers are used again. */
  startedAt: string;
  memoryBytes: number;
  /** Of the processor, in hundredths of a second. */
  ticks: number;
  /** Its environment says that it is ours, wherever it went. */
  isMarked?: boolean;
}

/** Lines of `ps -axo pid=,ppid=,pgid=,stat=,rss=,time=,lstart=`. */
export function readRows(output: string): ProcessRow[] {
  return output.split('\n').flatMap((line) => {
    const [pid, parent, group, state, kib, time = '', ...started] = line.trim().split(/\s+/);
    if (pid === undefined || state === undefined || kib === undefined) return [];
    // It has ended; only its parent has not asked how.
    if (state.startsWith('Z')) return [];
    const startedAt = started.join(' ');
    const memoryBytes = Number(kib) * 1024;
    // Minutes, seconds and hundredths.
    const ticks = Math.round(
      time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) * 100,
    );
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        startedAt,
        memoryBytes,
        ticks,
      },
    ];
  });
}

function listRows(): ProcessRow[] {
  const args = ['-axo', 'pid=,ppid=,pgid=,stat=,rss=,time=,lstart='];
  const options = { encoding: 'utf8', env: { LC_ALL: 'C' }, maxBuffer: 64 * 1024 * 1024 } as const;
  return readRows(spawnSync('/bin/ps', args, options).stdout ?? '');
}

export interface CommandProcesses {
  /** The first one has the number of the group. */
  list(): ProcessRow[];
  kill(): void;
}

export function createCommandProcesses(first: number, rows = listRows): CommandProcesses {
  const seen = new Map<number, string>();
  function list(): ProcessRow[] {
    const all = rows();
    const isOurs = ({ pid, parent, group, startedAt, isMarked }: ProcessRow) =>
      isMarked === true || group === first || seen.has(parent) || seen.get(pid) === startedAt;
    const ours = new Set<ProcessRow>();
    // A child may be listed before its parent.
    for (let before = -1; before !== ours.size;) {
      before = ours.size;
      for (const row of all) {
        if (ours.has(row) || !isOurs(row)) continue;
        ours.add(row);
        seen.set(row.pid, row.startedAt);
      }
    }
    const alive = new Set([...ours].map(({ pid }) => pid));
    for (const pid of seen.keys()) if (!alive.has(pid)) seen.delete(pid);
    return [...ours];
  }
  return {
    list,
    kill() {
      for (const { pid } of list()) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It ended meanwhile.
        }
      }
    },
  };
}
