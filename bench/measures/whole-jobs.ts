// P17: whole jobs a second over HTTP, from submit to done, with a model that answers at once.
import { startChild } from '../harness/child.ts';
import { cpuOf, driveInTurns, jobTable } from '../harness/job-rounds.ts';
import type { JobFigures } from '../harness/job-rounds.ts';
import type { JobSystem } from '../harness/job-system.ts';
import { startMillrace } from '../harness/millrace-system.ts';
import type { Figure } from '../report.ts';
import { startRivals } from '../rivals/rivals.ts';
import type { StartedRival } from '../rivals/rivals.ts';

const CLIENTS = [16, 64];

function figure(ours: JobFigures, what: string, value: number, unit: string): Figure {
  return { id: 'P17', what: `${what}, ${ours.clients} clients`, value, unit };
}

function costFigures(ours: JobFigures): Figure[] {
  return [
    { ...figure(ours, 'CPU a job', cpuOf(ours), 'ms'), goal: { atMost: 3 } },
    figure(ours, 'of that PostgreSQL', ours.cpuMs['postgres'] ?? 0, 'ms'),
    figure(ours, 'submit to done, p50', ours.jobP50Ms, 'ms'),
    figure(ours, 'submit to done, p99', ours.jobP99Ms, 'ms'),
  ];
}

function rateFigures(
  ours: JobFigures,
  rivals: readonly StartedRival[],
  all: readonly JobFigures[],
): Figure[] {
  const rate = figure(ours, 'whole jobs a second', ours.perSecond, '/s');
  const { clients } = ours;
  if (rivals.length === 0) return [rate];
  return rivals.map(({ system: { name }, goal }) => {
    const theirs = all.find((each) => each.system === name && each.clients === clients)!;
    const ratioAtLeast = goal?.[clients];
    return {
      ...rate,
      beside: { what: name, value: theirs.perSecond },
      ...(ratioAtLeast !== undefined && { goal: { ratioAtLeast } }),
    };
  });
}

export async function measureWholeJobs(rounds: number, seconds: number): Promise<Figure[]> {
  const model = startChild('./instant-model.ts');
  const { url: modelUrl } = await model.waitFor<{ url: string }>('ready');
  const systems: JobSystem[] = [];
  try {
    const millrace = await startMillrace(modelUrl);
    systems.push(millrace);
    const rivals = await startRivals(modelUrl);
    systems.push(...rivals.map(({ system }) => system));
    const all = await driveInTurns(systems, { clients: CLIENTS, rounds, seconds });
    console.log(`${jobTable(all)}\n`);
    return all
      .filter(({ system }) => system === millrace.name)
      .flatMap((ours) => [...rateFigures(ours, rivals, all), ...costFigures(ours)]);
  } finally {
    for (const system of systems) await system.stop();
    await model.stop();
  }
}
