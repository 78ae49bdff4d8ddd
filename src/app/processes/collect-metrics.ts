// Asks every process for its metrics when one of them is asked for those of the server.
import type { MetricsJson } from '../../platform/metrics.ts';
import { addCounts } from '../../platform/metrics-sum.ts';
import type { Child } from './child.ts';
import type { FromProcess } from './messages.ts';

/** A process that is too busy to answer is counted as it was last time. */
const ANSWER_MS = 2000;

interface Round {
  missing: Set<Child>;
  done(): void;
}

export interface Collection {
  hear(child: Child, message: FromProcess): void;
  ended(child: Child): void;
}

/** The supervisor's own share of what a server takes; it counts nothing else. */
function ownMetrics(): MetricsJson {
  const { user, system } = process.cpuUsage();
  const metric = (name: string, help: string, type: string, value: number) =>
    ({ name, help, type, aggregator: 'sum', values: [{ value, labels: {} }] }) as unknown;
  const cpu = (kind: string, micros: number) =>
    metric(`process_cpu_${kind}seconds_total`, 'CPU time in seconds.', 'counter', micros / 1e6);
  return [
    cpu('user_', user),
    cpu('system_', system),
    cpu('', user + system),
    metric(
      'process_resident_memory_bytes',
      'Resident memory size in bytes.',
      'gauge',
      process.memoryUsage.rss(),
    ),
  ] as MetricsJson;
}

export function createCollection(running: ReadonlySet<Child>): Collection {
  const last = new Map<Child, MetricsJson>();
  let departed: MetricsJson = [];
  const rounds = new Map<number, Round>();
  let count = 0;

  function answered(child: Child, round: Round | undefined): void {
    round?.missing.delete(child);
    if (round?.missing.size === 0) round.done();
  }

  function ask(asker: Child, question: number): void {
    const id = ++count;
    const finish = () => {
      clearTimeout(late);
      rounds.delete(id);
      const all = [...running].flatMap((child) => {
        const metrics = last.get(child);
        return metrics === undefined ? [] : [metrics];
      });
      all.push(departed, ownMetrics());
      asker.tell({ kind: 'all-measured', id: question, all });
    };
    const late = setTimeout(finish, ANSWER_MS);
    rounds.set(id, { missing: new Set(running), done: finish });
    for (const child of running) child.tell({ kind: 'measure', id });
  }

  return {
    hear(child, message) {
      if (message.kind === 'measure-all') ask(child, message.id);
      if (message.kind !== 'measured') return;
      last.set(child, message.metrics);
      answered(child, rounds.get(message.id));
    },
    ended(child) {
      departed = addCounts(departed, last.get(child) ?? []);
      last.delete(child);
      for (const round of rounds.values()) answered(child, round);
    },
  };
}
