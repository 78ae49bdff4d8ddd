// What a stopped run leaves running: the runner ends without its teardown, but not the database, servers and browsers
// of its tests. They are known by the folder of the run, which is in their command line.
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const WAIT_MS = 10_000;

function processesOf(folder) {
  let ids;
  try {
    ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  } catch {
    return []; // Not Linux.
  }
  return ids.map(Number).filter((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(folder);
    } catch {
      return false; // It has ended meanwhile.
    }
  });
}

export async function endLeftovers(folder) {
  const signals = ['SIGINT', 'SIGKILL'];
  for (const signal of signals) {
    const ids = processesOf(folder);
    if (ids.length === 0) return;
    for (const id of ids) {
      try {
        process.kill(id, signal);
      } catch {
        // It has ended meanwhile.
      }
    }
    const until = Date.now() + WAIT_MS;
    while (processesOf(folder).length > 0 && Date.now() < until) await delay(50);
  }
}
