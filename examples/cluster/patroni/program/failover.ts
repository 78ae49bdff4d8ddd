// Faults of the database, one after the other, while clients work and a vendor counts its calls: what the clients noticed,
// whether a job was lost or ended twice, and whether the ledger says what the vendor says.
import { parseArgs } from 'node:util';
import { openDb } from '../../../../src/store/postgres/postgres.ts';
import { startVendorServer } from '../../../../test/support/vendor/server.ts';
import { findCluster, runInCluster } from '../../program/cluster.ts';
import { report, startLoad } from '../../program/load.ts';
import type { Load, Work } from '../../program/load.ts';
import { compareBooks, reportBooks } from './books.ts';
import { openPatroni } from './database.ts';
import { FAULTS, endFaults, untilWhole } from './faults.ts';
import type { Fault } from './faults.ts';
import { versions } from './members.ts';

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '1' } },
});
const unknown = positionals.find((name) => !FAULTS.some((fault) => fault.name === name));
if (unknown !== undefined) {
  const known = FAULTS.map(({ name, what }) => `  ${name.padEnd(12)} ${what}`).join('\n');
  fail(`There is no ${unknown}. There are:\n${known}`);
}
const wanted = FAULTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const faults = wanted.filter(({ name, missing }) => {
  if (missing !== undefined) console.log(`Without ${name}: ${missing}.`);
  return missing === undefined;
});
if (findCluster() !== undefined) fail('Stop the cluster that is running first.');

// From answers that are over at once to some that last longer than a worker waits for its database.
const PACES = ['', 'chunks=10 pace=100', 'chunks=20 pace=150', '', 'chunks=40 pace=300', 'chunks=5 pace=400'];
const WORK: Work = {
  model: 'gpt-6-luna',
  promptOf: (key, count) => `[[vendor:reply id=${key} ${PACES[count % PACES.length]}]]`,
  // Ten to twenty jobs a second: enough that some are under way at any moment.
  pauseMs: 250,
};

async function strike({ name, strike: run }: Fault, load: Load): Promise<void> {
  const began = performance.now();
  const seconds = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
  const said: string[] = [];
  load.takeGapMs();
  await run(load, (what) => void said.push(`${what} after ${seconds()}`));
  const { name: leader } = await untilWhole();
  said.push(`whole after ${seconds()}, ${leader} leads`);
  const gap = (load.takeGapMs() / 1000).toFixed(1);
  console.log(`${name}: ${said.join(', ')}; ${gap} s without an accepted job`);
}

const vendor = await startVendorServer();
const settings = {
  MILLRACE_OPENAI_BASE_URL: vendor.url('openai'),
  // The scripted vendor takes any.
  MILLRACE_OPENAI_API_KEY: 'sk-example',
};
console.log(versions());
await runInCluster(
  async (cluster) => {
    await untilWhole();
    const load = await startLoad(cluster, WORK);
    let struck = 0;
    let isBroken = false;
    try {
      for (let round = 0; round < Number(values.rounds); round++) {
        for (const fault of faults) {
          await strike(fault, load);
          struck += 1;
        }
      }
    } catch (error) {
      isBroken = true;
      console.error(error);
    }
    const held = report(await load.stop());
    const db = openDb({ url: cluster.databaseUrl, poolSize: 2 });
    const isEqual = reportBooks(await compareBooks(db, vendor.calls()));
    await db.close();
    console.log(`  faults                ${struck}`);
    return held && isEqual && !isBroken ? 0 : 1;
  },
  {
    async openDatabase(undo) {
      const database = await openPatroni(undo);
      undo.defer(endFaults);
      return database;
    },
    settings,
  },
);
