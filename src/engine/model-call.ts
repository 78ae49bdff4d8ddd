// One call of a model, watched: a stream that falls silent is given up, because a vendor that
// holds a connection open without sending keeps the job waiting and the slot taken.
import type { Provider, ProviderOutcome, ProviderRequest } from '../providers/provider.ts';

export const IDLE_LIMIT_MS = 120_000;

export async function callModel(
  provider: Provider,
  request: ProviderRequest,
  onText: (delta: string) => void,
  idleLimitMs: number = IDLE_LIMIT_MS,
): Promise<ProviderOutcome> {
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(), idleLimitMs);
  try {
    const outcome = await provider.run(
      { ...request, signal: AbortSignal.any([request.signal, idle.signal]) },
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
  }
}
