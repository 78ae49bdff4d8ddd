// Lets many waiters wait for many jobs on a few shared signals.
import type { Signals } from '../../store/postgres/signals.ts';

export interface JobWatch {
  /** Resolves when something about the job may have changed, after `ms`, or on abort. */
  changed(jobId: string, ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `handler` whenever something about the job may have changed. */
  watch(jobId: string, handler: () => void): () => void;
  close(): void;
}

export function createJobWatch(signals: Signals): JobWatch {
  const handlers = new Map<string, Set<() => void>>();
  const tell = (ids: readonly string[]) => {
    for (const id of ids) for (const handler of handlers.get(id) ?? []) handler();
  };
  const unsubscribe = [signals.on('ended', tell), signals.on('progress', tell)];

  function watch(jobId: string, handler: () => void): () => void {
    const set = handlers.get(jobId) ?? new Set();
    handlers.set(jobId, set.add(handler));
    return () => {
      set.delete(handler);
      if (set.size === 0 && handlers.get(jobId) === set) handlers.delete(jobId);
    };
  }

  return {
    watch,
    async changed(jobId, ms, signal) {
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          off();
          signal.removeEventListener('abort', finish);
          resolve();
        };
        const timer = setTimeout(finish, ms);
        const off = watch(jobId, finish);
        signal.addEventListener('abort', finish, { once: true });
      });
    },
    close: () => unsubscribe.forEach((off) => off()),
  };
}
