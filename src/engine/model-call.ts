// One call of a model, watched: a stream that falls silent is given up, because a vendor that
// holds a connection open without sending keeps the job waiting and the slot taken.
import type { Provider, ProviderOutcome, ProviderRequest } from '../providers/provider.ts';

export const IDLE_LIMIT_MS = 120_000;

/** Turns of the event loop. Each reads up to 64 KiB of a connection, and one that reads nothing takes microseconds. */
const TURNS_TO_READ = 16;

/**
 * Aborts after `signal`, once what has arrived by then is read. The timers that stop a call fire before its connection is
 * read, so a process that was busy would throw away an answer that is there, and pay for it again.
 */
function onceRead(signal: AbortSignal): { signal: AbortSignal; release(): void } {
  const late = new AbortController();
  const wait = (turns: number): void => {
    if (turns === 0) late.abort(signal.reason);
    else setImmediate(wait, turns - 1);
  };
  const begin = () => wait(TURNS_TO_READ);
  if (signal.aborted) late.abort(signal.reason);
  else signal.addEventListener('abort', begin, { once: true });
  return { signal: late.signal, release: () => signal.removeEventListener('abort', begin) };
}

export async function callModel(
  provider: Provider,
  request: ProviderRequest,
  onText: (delta: string) => void,
  idleLimitMs: number = IDLE_LIMIT_MS,
): Promise<ProviderOutcome> {
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(), idleLimitMs);
  const stopped = onceRead(request.signal);
  try {
    const outcome = await provider.run(
      { ...request, signal: AbortSignal.any([stopped.signal, idle.signal]) },
      (delta) => {
        timer.refresh();
        if (delta !== '') onText(delta);
      },
    );
    if (outcome.kind === 'aborted' && idle.signal.aborted && !request.signal.aborted) {
      const message = `The model sent nothing for ${idleLimitMs / 1000} seconds`;
      return {
        kind: 'failed',
        failure: { kind: 'timeout', message, retryable: true },
        usage: outcome.usage,
      };
    }
    return outcome;
  } finally {
    clearTimeout(timer);
    stopped.release();
  }
}
