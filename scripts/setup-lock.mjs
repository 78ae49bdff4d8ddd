// One set-up at a time. The lock is a folder with one file in it, named after its holder. It is taken by
// renaming a folder that already has that file onto it, which the file system refuses while another
// holder's file is in there; a dead holder is removed by the name of its file. So of two that find the
// same dead holder, neither can remove the lock that the other one has taken meanwhile.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { renameSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';

const BEAT_MS = 2000;
const PATIENCE_MS = 30_000;

function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

// Process ids mean something on one machine only, and a container has its own.
const machine = `${hostname()} ${attempt(() => readlinkSync('/proc/self/ns/pid')) ?? ''}`;

/** Ids are used again, also after a restart: the same process has the same id and the same start. */
function listProcesses() {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  if (boot === undefined) return listWithPs();
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    const stat = attempt(() => readFileSync(`/proc/${id}/stat`, 'utf8'));
    if (stat === undefined) return [];
    // The name before it may contain anything, spaces and brackets too.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, , group] = fields;
    return [{ id: +id, group: +group, ended: /[ZX]/.test(state), start: `${boot} ${fields[19]}` }];
  });
}

function listWithPs() {
  const env = { ...process.env, LC_ALL: 'C' };
  const ps = spawnSync('ps', ['-A', '-o', 'pid=,pgid=,stat=,lstart='], { encoding: 'utf8', env });
  return (ps.stdout ?? '').split('\n').flatMap((line) => {
    const [id, group, state, ...start] = line.trim().split(/ +/);
    if (state === undefined) return [];
    return [{ id: +id, group: +group, ended: state.startsWith('Z'), start: start.join(' ') }];
  });
}

/** The whole group: where only its first process was killed, npm is still at work. */
function groupLives({ pid, start }) {
  const all = listProcesses();
  const first = all.find(({ id }) => id === pid);
  if (first !== undefined && first.start !== start) return false;
  const members = all.filter(({ group }) => group === pid);
  if (members.length > 0) return members.some(({ ended }) => !ended);
  try {
    process.kill(-pid, 0);
    return true;
  } catch (error) {
    // Another user's, hidden from the list.
    return error.code === 'EPERM';
  }
}

/** A function that gives the lock back, or undefined when another process has it. */
export function takeLock(folder) {
  const name = `${process.pid}-${randomBytes(6).toString('hex')}`;
  const mine = `${folder}.${name}`;
  const start = listProcesses().find(({ id }) => id === process.pid)?.start;
  try {
    mkdirSync(mine);
    writeFileSync(join(mine, name), JSON.stringify({ pid: process.pid, start, machine }));
    // Whoever may write into the checkout may wait for this lock, and remove it once it is dead.
    chmodSync(join(mine, name), 0o644);
    chmodSync(mine, statSync(dirname(folder)).mode & 0o777);
    renameSync(mine, folder);
  } catch (error) {
    rmSync(mine, { recursive: true, force: true });
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return undefined;
    throw error;
  }
  const file = join(folder, name);
  const beat = setInterval(() => {
    attempt(() => utimesSync(file, new Date(), new Date()));
  }, BEAT_MS);
  return () => {
    clearInterval(beat);
    rmSync(file, { force: true });
    // Not empty when the next one has taken it already.
    attempt(() => rmdirSync(folder));
  };
}

/**
 * A function that returns the process id of the holder, or undefined when the lock is free. A holder on
 * another machine or in a container cannot be looked up: it counts as dead when its file was not touched
 * for as long as `patienceMs` of watching, which is no comparison of two clocks.
 */
export function watchLock(folder, patienceMs = PATIENCE_MS) {
  let seen;
  let since = 0;
  function stillBeats(beat) {
    if (beat !== seen) [seen, since] = [beat, performance.now()];
    return performance.now() - since < patienceMs;
  }
  return () => {
    const [name] = attempt(() => readdirSync(folder)) ?? [];
    if (name === undefined) return undefined;
    const file = join(folder, name);
    const beat = attempt(() => statSync(file).mtimeMs);
    if (beat === undefined) return undefined;
    const holder = attempt(() => JSON.parse(readFileSync(file, 'utf8')));
    const isHere = holder?.machine === machine && holder.start !== undefined;
    if (isHere ? groupLives(holder) : stillBeats(`${name} ${beat}`)) return name.split('-')[0];
    rmSync(file, { force: true });
    return undefined;
  };
}
