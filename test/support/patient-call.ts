// A call of a client that knows what 503 means. A machine with too much to do may not get an answer
// from its database in time; the server then says so, and the same request is welcome again.
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './server.ts';

/** For requests that may be repeated: reads, and those with an Idempotency-Key. */
export async function patiently(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await call();
    if (answer.status !== 503) return answer;
    await delay(100);
  }
}
