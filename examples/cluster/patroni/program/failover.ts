// Kills the primary of the database, as if its machine were gone, while clients work, and says what they noticed.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../../../test/support/processes.ts';
import { withCluster } from '../../program/cluster.ts';
import { holdFileOf } from '../../program/keep-running.ts';
import { FOLDER } from '../../program/layout.ts';
import { report, startLoad } from '../../program/load.ts';
import { pidOf } from '../../program/nodes.ts';
import { openPatroni } from './database.ts';
import { findMember, postmasterOf } from './members.ts';
import type { Member } from './members.ts';

const CALM_MS = 5000;
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Patroni first: it would start the database again. */
function killMachine(member: Member): void {
  writeFileSync(holdFileOf(FOLDER, member.name), '');
  const postmaster = postmasterOf(member);
  const backends = execFileSync('pgrep', ['-P', String(postmaster)], { encoding: 'utf8' });
  const pids = [pidOf(FOLDER, member.name), postmaster, ...backends.trim().split('\n').map(Number)];
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

await withCluster(async (cluster) => {
  const load = await startLoad(cluster);
  await delay(CALM_MS);
  const primary = await waitUntil(() => findMember('primary'), 'a primary');
  const killedAt = performance.now();
  killMachine(primary);
  console.log(`Killed ${primary.name}, the primary.`);
  try {
    const next = await waitUntil(async () => {
      const found = await findMember('primary');
      return found && found.name !== primary.name ? found : undefined;
    }, 'a new primary');
    console.log(`${next.name} is the primary after ${seconds(killedAt)}.`);
    await load.nextAccepted();
    console.log(`Jobs are accepted again after ${seconds(killedAt)}.`);
    await delay(CALM_MS);
  } finally {
    rmSync(holdFileOf(FOLDER, primary.name), { force: true });
  }
  await waitUntil(() => findMember('synchronous'), 'the old primary to be the standby');
  console.log(`${primary.name} is back as the standby after ${seconds(killedAt)}.`);
  return report(await load.stop());
}, openPatroni);
