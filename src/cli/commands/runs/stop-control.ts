// Why a run is to stop: a signal, its time, the user's answer. The first wish stops it in order; a
// second signal does not wait.
import { SIGNAL_EXITS, STOP_SIGNALS } from '../../stop-signal.ts';
import type { StopSignal } from '../../stop-signal.ts';
import { EXIT } from '../../exit-codes.ts';

export type StopCause = StopSignal | 'timeout' | 'quit' | 'remote';

const EXITS: Record<StopCause, number> = {
  ...SIGNAL_EXITS,
  timeout: EXIT.timedOut,
  quit: EXIT.interrupted,
  remote: EXIT.interrupted,
};

export interface StopControl {
  signal: AbortSignal;
  stop(reason: StopCause): void;
  /** Undefined while nobody asked for it. */
  exit(): number | undefined;
  close(): void;
}

export function createStopControl(options: {
  timeoutMs: number | undefined;
  onStop(reason: StopCause): void;
  /** Right before the process ends. */
  onLeave(): void;
}): StopControl {
  const controller = new AbortController();
  let first: StopCause | undefined;

  function stop(reason: StopCause): void {
    if (first !== undefined) return;
    first = reason;
    options.onStop(reason);
    controller.abort();
  }

  const listeners = STOP_SIGNALS.map((name) => {
    const listener = () => {
      if (first === undefined || first === 'timeout') {
        stop(name);
        if (first === 'timeout') first = name;
        return;
      }
      options.onLeave();
      process.exit(SIGNAL_EXITS[name]);
    };
    process.on(name, listener);
    return [name, listener] as const;
  });
  const { timeoutMs } = options;
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop('timeout'), timeoutMs);

  return {
    signal: controller.signal,
    stop,
    exit: () => first && EXITS[first],
    close() {
      clearTimeout(timer);
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}
