// P18: whole jobs a second by the number of processes that one server has.
import { measureSystems } from '../harness/job-rounds.ts';
import { startMillrace } from '../harness/millrace-system.ts';
import type { Figure } from '../report.ts';

const PROCESSES = [1, 2, 3];
const CLIENTS = [16, 64];

const named = (count: number) => `${count} process${count === 1 ? '' : 'es'}`;

async function* startEach(modelUrl: string) {
  for (const count of PROCESSES) {
    const system = await startMillrace(modelUrl, { MILLRACE_PROCESSES: String(count) });
    yield { ...system, name: named(count) };
  }
}

export async function measureProcesses(rounds: number, seconds: number): Promise<Figure[]> {
  const all = await measureSystems(startEach, { clients: CLIENTS, rounds, seconds });
  return all.map(({ system, clients, perSecond }) => {
    const what = `whole jobs a second, ${clients} clients, ${system}`;
    const figure = { id: 'P18', what, value: perSecond, unit: '/s' };
    const one = all.find((each) => each.system === named(1) && each.clients === clients)!;
    if (system === one.system) return figure;
    return { ...figure, beside: { what: one.system, value: one.perSecond } };
  });
}
