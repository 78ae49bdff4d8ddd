// `npm run bench [-- P1 P5 ...]`: measures, prints one table, keeps the figures.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { watchCpuPace } from './harness/cpu-pace.ts';
import { measureIdleRunners } from './measures/idle-runners.ts';
import { setStage } from './harness/stage.ts';
import type { Stage } from './harness/stage.ts';
import { watchStolenTime } from './harness/stolen-time.ts';
import { measureConcurrency } from './measures/concurrency.ts';
import { measureContext } from './measures/context.ts';
import { measureDashboard } from './measures/dashboard.ts';
import { measureExecutionsList } from './measures/executions-list.ts';
import { measureGrowth } from './measures/growth.ts';
import {
  measureCancel,
  measureFirstToken,
  measureLongPoll,
  measurePickUp,
} from './measures/latency.ts';
import { measureLearn } from './measures/learn.ts';
import { measureModelEndpoint } from './measures/model-endpoint.ts';
import { measureNewPlan } from './measures/new-plan.ts';
import { measureMakespan, measurePlan } from './measures/plan.ts';
import { measurePolls } from './measures/polls.ts';
import { measureProcesses } from './measures/processes.ts';
import { measurePromptSize } from './measures/prompt-size.ts';
import { measureRunAgain } from './measures/run-again.ts';
import { measureRun } from './measures/run-streams.ts';
import { measureRunnerStart } from './measures/runner-start.ts';
import { measureSandboxStart } from './measures/sandbox-start.ts';
import { measureHelp, measureStartUp } from './measures/start-up.ts';
import { USERS, measureSubmits } from './measures/submits.ts';
import { measureTakeover } from './measures/takeover.ts';
import { measureToolsStart } from './measures/tools-start.ts';
import {
  measureVendorCancel,
  measureVendorFirstToken,
  measureVendorStreams,
} from './measures/vendor.ts';
import { measureWarm } from './measures/warm.ts';
import { measureWebhooks } from './measures/webhooks.ts';
import { measureWholeJobs } from './measures/whole-jobs.ts';
import { measureYamlWrite } from './measures/yaml-write.ts';
import { isReached, ratioOf, table } from './report.ts';
import type { Figure } from './report.ts';

const RESULTS = fileURLToPath(new URL('./results/', import.meta.url));
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4);
const JOBS = Number(process.env['BENCH_JOBS'] ?? 1_000_000);

/** Those that are open. */
const stages = new Set<Stage>();
let isStopping = false;

async function onStage(env: NodeJS.ProcessEnv, measure: (stage: Stage) => Promise<Figure[]>) {
  const stage = await setStage(env);
  stages.add(stage);
  try {
    return await measure(stage);
  } finally {
    // Whoever takes it out closes it.
    if (stages.delete(stage)) await stage.close();
  }
}

async function stopEarly(): Promise<void> {
  isStopping = true;
  const open = [...stages];
  stages.clear();
  await Promise.allSettled(open.map((stage) => stage.close()));
  process.exit(130);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stopEarly());

/** What P1 came to, by users; P2 runs at half of it. */
const submitRates = new Map<number, number>();

const MEASURES: Record<string, () => Promise<Figure[]>> = {
  P1: async () => {
    const figures = await onStage({ MILLRACE_ROLE: 'api' }, (stage) =>
      measureSubmits(stage, ROUNDS, SECONDS),
    );
    for (const [index, users] of USERS.entries()) submitRates.set(users, figures[index]!.value);
    return figures;
  },
  P2: () => onStage({}, (stage) => measurePickUp(stage, submitRates)),
  P3: () => onStage({}, measureFirstToken),
  P4: () => onStage({}, measureLongPoll),
  P5: () => onStage({}, (stage) => measurePolls(stage, ROUNDS, SECONDS)),
  P6: () => onStage({ MILLRACE_SLOTS: '5000' }, measureConcurrency),
  P7: () => onStage({}, measureCancel),
  P8: () => onStage({ MILLRACE_ROLE: 'api' }, measureTakeover),
  P9: () =>
    onStage({}, (empty) =>
      onStage({}, (full) =>
        measureGrowth({ empty, full }, { rounds: ROUNDS, seconds: SECONDS, jobs: JOBS }),
      ),
    ),
  P10: measurePlan,
  P11: measureMakespan,
  P12: measureYamlWrite,
  learn: measureLearn,
  run: () => onStage({ MILLRACE_SLOTS: '200' }, measureRun),
  warm: () => onStage({}, measureWarm),
  context: measureContext,
  P13: measureStartUp,
  P14: measureHelp,
  tools: measureToolsStart,
  P15: () =>
    onStage({ MILLRACE_ALLOW_PRIVATE_TARGETS: 'true' }, (stage) => measureWebhooks(stage, ROUNDS)),
  P16: () => onStage({}, measureDashboard),
  P17: () => measureWholeJobs(ROUNDS, SECONDS),
  P18: () => measureProcesses(ROUNDS, SECONDS),
  P19: () => onStage({}, measurePromptSize),
  P20: () => onStage({}, measureRunAgain),
  P21: measureSandboxStart,
  P22: () => measureModelEndpoint(ROUNDS, SECONDS),
  P23: measureNewPlan,
  P24: () => onStage({}, measureRunnerStart),
  idle: () => onStage({}, measureIdleRunners),
  list: () => onStage({}, measureExecutionsList),
  P3v: measureVendorFirstToken,
  P7v: measureVendorCancel,
  stream: measureVendorStreams,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((id) => !(id in MEASURES));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. There are ${Object.keys(MEASURES).join(', ')}.`);
  process.exit(2);
}

const figures: Figure[] = [];
for (const [id, measure] of Object.entries(MEASURES)) {
  if (asked.length > 0 && !asked.includes(id)) continue;
  process.stderr.write(`measuring ${id}\n`);
  const paceSince = watchCpuPace();
  const stolenSince = watchStolenTime();
  const measured = await measure().catch(async (error: unknown) => {
    // What is stopped fails; the process ends when all is put away.
    if (isStopping) await new Promise(() => {});
    throw error;
  });
  const stolen = stolenSince();
  const pace = paceSince();
  figures.push(
    ...measured.map((figure) => ({ ...figure, pace, ...(stolen !== undefined && { stolen }) })),
  );
}

console.log(table(figures));
mkdirSync(RESULTS, { recursive: true });
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, memoryGiB: totalmem() / 2 ** 30 };
const kept = figures.map((figure) => ({
  ...figure,
  ratio: ratioOf(figure),
  reached: isReached(figure),
}));
writeFileSync(
  `${RESULTS}latest.json`,
  `${JSON.stringify({ at: new Date().toISOString(), node: process.version, machine, figures: kept }, null, 2)}\n`,
);
