// P18: whole jobs a second by the number of processes that one server has.
import { startChild } from '../harness/child.ts';
import { driveInTurns, jobTable } from '../harness/job-rounds.ts';
import type { JobSystem } from '../harness/job-system.ts';
import { startMillrace } from '../harness/millrace-system.ts';
import type { Figure } from '../report.ts';

const PROCESSES = [1, 2, 3];
const CLIENTS = [16, 64];

const named = (count: number) => `Millrace, ${count} process${count === 1 ? '' : 'es'}`;

export async function measureProcesses(rounds: number, seconds: number): Promise<Figure[]> {
  const model = startChild('./instant-model.ts');
  const { url: modelUrl } = await model.waitFor<{ url: string }>('ready');
  const systems: JobSystem[] = [];
  try {
    for (const count of PROCESSES) {
      const system = await startMillrace(modelUrl, { MILLRACE_PROCESSES: String(count) });
      systems.push({ ...system, name: named(count) });
    }
    const all = await driveInTurns(systems, { clients: CLIENTS, rounds, seconds });
    console.log(`${jobTable(all)}\n`);
    return all.map(({ system, clients, perSecond }) => {
      const one = all.find((each) => each.system === named(1) && each.clients === clients)!;
      const what = `whole jobs a second, ${clients} clients, ${system}`;
      const figure = { id: 'P18', what, value: perSecond, unit: '/s' };
      if (system === named(1)) return figure;
      return { ...figure, beside: { what: 'one process', value: one.perSecond } };
    });
  } finally {
    for (const system of systems) await system.stop();
    await model.stop();
  }
}
