// Nothing happens when a runner is silent for too long, so those who look at it would not hear of it: the process that
// it spoke to last says so.

/** Its lease is over by then, as the database counts. */
const LATER_MS = 200;

export interface Absence {
  /** It has spoken: again within its lease, or it is away. */
  expect(runner: { id: string; teamId: string }): void;
  close(): void;
}

export function watchAbsence(leaseSeconds: number, tell: (teamId: string) => void): Absence {
  const timers = new Map<string, NodeJS.Timeout>();
  return {
    expect({ id, teamId }) {
      clearTimeout(timers.get(id));
      const timer = setTimeout(
        () => {
          timers.delete(id);
          tell(teamId);
        },
        leaseSeconds * 1000 + LATER_MS,
      );
      timers.set(id, timer.unref());
    },
    close() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
