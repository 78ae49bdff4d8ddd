import type { TokenSource } from './answer.ts';
import type { SimulatorClock } from './clock.ts';
import type { Speed } from './speed.ts';

export interface TokenStream {
  tokens: TokenSource;
  speed: Speed;
  /** Stops after this many tokens even if there are more. */
  limit: number;
  clock: SimulatorClock;
  signal: AbortSignal;
  /** `output`: how many tokens are out by now. */
  onText: (delta: string, output: number) => void;
}

export type StreamEnd = { kind: 'end' | 'limit' | 'aborted'; output: number };

// Without a speed there is nothing to wait for, but other work of the node must still get its turn.
const TOKENS_PER_TURN = 4096;

/**
 * Sends tokens as chunks. What is due follows from the time since the first chunk, so a late timer
 * sends a larger chunk instead of a row of hurried ones: a busy node does not get busier by it, and
 * each chunk costs one timer.
 */
export async function streamTokens(stream: TokenStream): Promise<StreamEnd> {
  const { tokens, speed, clock, signal } = stream;
  const startedAt = clock.now();
  let output = 0;
  let pauseAt = TOKENS_PER_TURN;
  let token = tokens();
  while (!signal.aborted) {
    const due = Math.min(stream.limit, dueTokens(speed, output, clock.now() - startedAt));
    let delta = '';
    for (; output < due && token !== undefined; output++) {
      delta += token;
      token = tokens();
    }
    if (delta !== '') stream.onText(delta, output);
    if (token === undefined) return { kind: 'end', output };
    if (output >= stream.limit) return { kind: 'limit', output };
    if (speed.chunkMs > 0) {
      const nextAt = startedAt + Math.ceil(output / speed.chunkTokens) * speed.chunkMs;
      await clock.sleep(Math.max(1, nextAt - clock.now()), signal);
    } else if (output >= pauseAt) {
      pauseAt += TOKENS_PER_TURN;
      await clock.sleep(0, signal);
    }
  }
  return { kind: 'aborted', output };
}

/** The count of tokens that should be out by now: always at least one chunk more than before. */
function dueTokens(speed: Speed, output: number, elapsedMs: number): number {
  const next = output + speed.chunkTokens;
  if (speed.chunkMs === 0) return next;
  return Math.max(next, (Math.floor(elapsedMs / speed.chunkMs) + 1) * speed.chunkTokens);
}
