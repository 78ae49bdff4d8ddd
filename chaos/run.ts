// `npm run chaos [-- --seconds 60 --runs 1 --seed N --mode poll+lease --only kill-worker,half-open --history FILE]`:
// a small cluster under load while things break, and then a look at whether every promise held. A seed repeats
// the choices; what the machine makes of them is never quite the same.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createRandom } from '../test/support/chaos/random.ts';
import { createJournal } from './journal.ts';
import { judge, untilCalm } from './judge.ts';
import { createLoad } from './load.ts';
import { watchMemory } from './memory.ts';
import { NEMESES } from './nemeses.ts';
import type { Nemesis } from './nemeses.ts';
import { createPast } from './past.ts';
import { MODES, buildWorld } from './world.ts';
import type { Mode, World } from './world.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    runs: { type: 'string', default: '1' },
    seed: { type: 'string' },
    mode: { type: 'string', default: 'notify+lock' },
    only: { type: 'string' },
    history: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

const mode = values.mode as Mode;
if (!Object.hasOwn(MODES, mode)) fail(`--mode is one of ${Object.keys(MODES).join(', ')}.`);
const wanted = values.only?.split(',');
const unknown = wanted?.find((name) => !NEMESES.some((nemesis) => nemesis.name === name));
if (unknown !== undefined) {
  fail(`There is no ${unknown}: ${NEMESES.map(({ name }) => name).join(', ')}.`);
}
const nemeses = NEMESES.filter(({ name }) => wanted === undefined || wanted.includes(name));
for (const { name, missing } of nemeses) {
  if (missing !== undefined) console.log(`Without ${name}: ${missing}.`);
}

async function strikeAgainAndAgain(
  usable: readonly Nemesis[],
  strike: (nemesis: Nemesis) => Promise<void>,
  pick: <T>(list: readonly T[]) => T,
  until: () => boolean,
): Promise<void> {
  while (!until()) {
    await strike(pick(usable));
    await delay(500);
  }
}

/** What the nodes themselves took for a fault: mostly the reason. */
function tellErrors({ nodes }: World): void {
  for (const node of nodes) {
    const errors = node.log().match(/^\{"level":50.*$/gm) ?? [];
    for (const line of errors.slice(-5)) console.log(`  ${node.name}: ${line.slice(0, 1500)}`);
  }
}

async function oneRun(seed: number): Promise<string[]> {
  const journal = createJournal(values.history, values.verbose);
  const random = createRandom(seed);
  const world = await buildWorld(mode, journal);
  try {
    const load = await createLoad(world, random);
    const past = await createPast(world, createRandom(seed + 1), load.teams[0]!);
    const memory = watchMemory(world.nodes, journal);
    const end = performance.now() + Number(values.seconds) * 1000;
    const isOver = () => performance.now() > end;
    const usable = nemeses.filter(({ missing }) => missing === undefined);
    const strikes: Record<string, number> = {};
    const strike = async (nemesis: Nemesis): Promise<void> => {
      journal.note('strike', { nemesis: nemesis.name });
      strikes[nemesis.name] = (strikes[nemesis.name] ?? 0) + 1;
      await nemesis.strike(world, random);
      journal.note('whole again', { nemesis: nemesis.name });
    };
    let isWhole = false;
    await Promise.all([
      strikeAgainAndAgain(usable, strike, random.pick, isOver).finally(() => (isWhole = true)),
      load.run(() => isOver() && isWhole),
      past.run(() => isOver() && isWhole),
    ]);
    memory.stop();
    await untilCalm(world);
    const violations = [
      ...(await past.end()),
      ...(await judge(world, load)),
      ...memory.violations(),
    ];
    const counts = {
      jobs: load.history.jobIds().length,
      archived: past.jobIds.length,
      cancelled: load.cancelled.size,
      executions: load.executions.size,
      webhooks: world.receiver.received.length,
      ...load.history.counts,
      strikes,
      growth: memory.slopes(),
    };
    journal.note('end', { ...counts, violations });
    console.log(`seed ${seed}  ${mode}  ${violations.length === 0 ? 'holds' : 'BROKEN'}`, counts);
    for (const what of violations) console.log(`  ${what}`);
    if (violations.length > 0) tellErrors(world);
    return violations;
  } finally {
    await world.close();
  }
}

let broken = 0;
for (let run = 0; run < Number(values.runs); run++) {
  const seed =
    values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed) + run;
  if ((await oneRun(seed)).length > 0) broken += 1;
}
console.log(`${values.runs} runs, ${broken} broken`);
process.exit(broken === 0 ? 0 : 1);
