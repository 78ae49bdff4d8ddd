// P17: whole jobs a second over HTTP, from submit to done, with a model that answers at once.
import { cpuOf, measureSystems } from '../harness/job-rounds.ts';
import type { JobFigures } from '../harness/job-rounds.ts';
import { startMillrace } from '../harness/millrace-system.ts';
import type { Figure } from '../report.ts';
import { startRivals } from '../rivals/rivals.ts';

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

function rateFigures(ours: JobFigures, rivals: readonly JobFigures[]): Figure[] {
  const rate = figure(ours, 'whole jobs a second', ours.perSecond, '/s');
  if (rivals.length === 0) return [rate];
  return rivals.map(({ system, perSecond, goal }) => {
    const ratioAtLeast = goal?.[ours.clients];
    return {
      ...rate,
      beside: { what: system, value: perSecond },
      ...(ratioAtLeast !== undefined && { goal: { ratioAtLeast } }),
    };
  });
}

async function* startAll(modelUrl: string) {
  yield await startMillrace(modelUrl);
  yield* startRivals(modelUrl);
}

export async function measureWholeJobs(rounds: number, seconds: number): Promise<Figure[]> {
  const all = await measureSystems(startAll, { clients: CLIENTS, rounds, seconds });
  return CLIENTS.flatMap((clients) => {
    const [ours, ...rivals] = all.filter((each) => each.clients === clients);
    return [...rateFigures(ours!, rivals), ...costFigures(ours!)];
  });
}
