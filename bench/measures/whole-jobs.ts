// P17: whole jobs a second over HTTP, from submit to done, with a model that answers at once.
import { startChild } from '../harness/child.ts';
import { cpuOf, driveInTurns, jobTable } from '../harness/job-rounds.ts';
import type { JobFigures } from '../harness/job-rounds.ts';
import type { JobSystem } from '../harness/job-system.ts';
import { startMillrace } from '../harness/millrace-system.ts';
import type { Figure } from '../report.ts';

const CLIENTS = [16, 64];

function figuresOf(ours: JobFigures): Figure[] {
  const { clients } = ours;
  const postgres = ours.cpuMs['postgres'] ?? 0;
  const of = (what: string, value: number, unit: string): Figure => ({
    id: 'P17',
    what: `${what}, ${clients} clients`,
    value,
    unit,
  });
  return [
    of('whole jobs a second', ours.perSecond, '/s'),
    { ...of('CPU a job', cpuOf(ours), 'ms'), goal: { atMost: 3 } },
    of('of that PostgreSQL', postgres, 'ms'),
    of('submit to done, p50', ours.jobP50Ms, 'ms'),
    of('submit to done, p99', ours.jobP99Ms, 'ms'),
  ];
}

export async function measureWholeJobs(rounds: number, seconds: number): Promise<Figure[]> {
  const model = startChild('./instant-model.ts');
  const { url: modelUrl } = await model.waitFor<{ url: string }>('ready');
  const systems: JobSystem[] = [];
  try {
    systems.push(await startMillrace(modelUrl));
    const all = await driveInTurns(systems, { clients: CLIENTS, rounds, seconds });
    console.log(jobTable(all));
    return all.filter(({ system }) => system === 'Millrace').flatMap(figuresOf);
  } finally {
    for (const system of systems) await system.stop();
    await model.stop();
  }
}
