// Watching something on a server until its end, where leaving means stopping it.
import { onClosedOutput } from '../../terminal/closed-output.ts';
import { EXIT } from '../../exit-codes.ts';
import { note } from '../../terminal/output.ts';
import { SIGNAL_EXITS, STOP_SIGNALS } from '../../stop-signal.ts';
import type { StopSignal } from '../../stop-signal.ts';

export interface Watched<T> {
  value: T;
  /** The exit code when it was stopped from here; undefined when it ended by itself. */
  stopped: number | undefined;
}

/** A view that fails does not stop what it shows: a person who watched must be able to find it again. */
export async function orSayWhere<T>(
  watching: Promise<T>,
  signal: AbortSignal,
  where: string,
): Promise<T> {
  try {
    return await watching;
  } catch (error) {
    if (!signal.aborted) note(where);
    throw error;
  }
}

/** Ctrl-C stops it, not only the watching of it; so does a reader that leaves. */
export async function untilEnded<T>(
  watch: (signal: AbortSignal) => Promise<T>,
  stopIt: () => Promise<T>,
): Promise<Watched<T>> {
  const stop = new AbortController();
  let exit: number = EXIT.interrupted;
  const onSignal = (signal: StopSignal) => {
    exit = SIGNAL_EXITS[signal];
    if (stop.signal.aborted) process.exit(exit);
    stop.abort();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  const stopListening = onClosedOutput(() => stop.abort());
  try {
    return { value: await watch(stop.signal), stopped: undefined };
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    return { value: await stopIt(), stopped: exit };
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
    stopListening();
  }
}
