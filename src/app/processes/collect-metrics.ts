// Asks every process for its metrics when one of them is asked for those of the server.
import type { MetricsJson } from '../../platform/metrics.ts';
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

export function createCollection(running: ReadonlySet<Child>): Collection {
  const last = new Map<Child, MetricsJson>();
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
      last.delete(child);
      for (const round of rounds.values()) answered(child, round);
    },
  };
}
