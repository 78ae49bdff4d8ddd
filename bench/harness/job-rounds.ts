// Drives systems in turns, round after round, so that a noisy minute meets all of them.
import { median, textTable } from '../report.ts';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import type { JobResult } from './job-client.ts';
import type { JobSystem } from './job-system.ts';
import { cpuByProgram } from './process-cpu.ts';

const POLL_MS = 10;
const WARM_UP_SECONDS = 1;

interface Load {
  clients: number;
  seconds: number;
}

export interface JobFigures extends JobResult {
  system: string;
  goal: JobSystem['goal'];
  clients: number;
  /** CPU milliseconds a job, by program. */
  cpuMs: Record<string, number>;
}

async function runRound(driver: Child, system: JobSystem, load: Load): Promise<JobFigures> {
  const { hostname: host, port } = new URL(system.url);
  const { protocol, name } = system;
  const before = cpuByProgram(system.pids());
  const result = await driver.ask<JobResult>(
    { jobs: { host, port: Number(port), pollMs: POLL_MS, ...protocol, ...load } },
    'result',
  );
  const cpuMs: Record<string, number> = {};
  for (const [program, ms] of cpuByProgram(system.pids())) {
    cpuMs[program] = (ms - (before.get(program) ?? 0)) / result.done;
  }
  if (result.failures > 0) {
    process.stderr.write(`${name}: ${result.failures} failed, first: ${result.firstFailure}\n`);
  }
  return { ...result, system: name, goal: system.goal, clients: load.clients, cpuMs };
}

/** Of each figure the median, but of the failures all. */
function summary(rounds: readonly JobFigures[]): JobFigures {
  const [first] = rounds;
  const medianOf = (pick: (round: JobFigures) => number) => median(rounds.map(pick));
  return {
    ...first!,
    perSecond: medianOf((round) => round.perSecond),
    done: rounds.reduce((sum, round) => sum + round.done, 0),
    failures: rounds.reduce((sum, round) => sum + round.failures, 0),
    pollsPerJob: medianOf((round) => round.pollsPerJob),
    submitP50Ms: medianOf((round) => round.submitP50Ms),
    submitP99Ms: medianOf((round) => round.submitP99Ms),
    jobP50Ms: medianOf((round) => round.jobP50Ms),
    jobP99Ms: medianOf((round) => round.jobP99Ms),
    cpuMs: Object.fromEntries(
      Object.keys(first!.cpuMs).map((program) => [
        program,
        medianOf((round) => round.cpuMs[program] ?? 0),
      ]),
    ),
  };
}

interface Turns {
  clients: readonly number[];
  rounds: number;
  seconds: number;
}

async function driveInTurns(
  systems: readonly JobSystem[],
  { clients: counts, rounds, seconds }: Turns,
): Promise<JobFigures[]> {
  const driver = startChild('./job-client.ts');
  const figures: JobFigures[] = [];
  for (const clients of counts) {
    const warmUp = { clients, seconds: WARM_UP_SECONDS };
    for (const system of systems) await runRound(driver, system, warmUp);
    const seen: JobFigures[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const system of systems) seen.push(await runRound(driver, system, { clients, seconds }));
    }
    for (const { name } of systems) {
      figures.push(summary(seen.filter(({ system }) => system === name)));
    }
  }
  await driver.stop();
  return figures;
}

/** Drives the systems that `start` yields, all with the same model, and stops them. */
export async function measureSystems(
  start: (modelUrl: string) => AsyncIterable<JobSystem>,
  turns: Turns,
): Promise<JobFigures[]> {
  const model = startChild('./instant-model.ts');
  const { url } = await model.waitFor<{ url: string }>('ready');
  const systems: JobSystem[] = [];
  try {
    for await (const system of start(url)) systems.push(system);
    const figures = await driveInTurns(systems, turns);
    console.log(`${jobTable(figures)}\n`);
    return figures;
  } finally {
    for (const system of systems) await system.stop();
    await model.stop();
  }
}

export function cpuOf(figures: JobFigures): number {
  return Object.values(figures.cpuMs).reduce((sum, ms) => sum + ms, 0);
}

/** Everything that was seen. */
function jobTable(all: readonly JobFigures[]): string {
  const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0);
  const rows = all.map((figures) => [
    figures.system,
    String(figures.clients),
    figures.perSecond.toFixed(0),
    `${ms(figures.submitP50Ms)} / ${ms(figures.submitP99Ms)}`,
    `${ms(figures.jobP50Ms)} / ${ms(figures.jobP99Ms)}`,
    figures.pollsPerJob.toFixed(1),
    Object.entries(figures.cpuMs)
      .filter(([, cpu]) => cpu >= 0.005)
      .map(([program, cpu]) => `${cpu.toFixed(2)} ${program}`)
      .join(' + '),
    String(figures.failures),
  ]);
  const head = ['system', 'clients', 'jobs/s', 'submit p50 / p99, ms', 'job p50 / p99, ms'];
  return textTable([...head, 'polls a job', 'CPU ms a job', 'failed'], rows);
}
