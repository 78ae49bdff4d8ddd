// Which execution a call is about, where any node may get the call and none remembers the one before. The
// server knows each execution by the key it was started with, and the key follows from the request. So a
// client that lost patience or its connection gets the execution that it started, not a second one that
// is paid for again.
import type { Execution, MillraceClient, NewExecution } from '../client/index.ts';
import type { Clock } from '../platform/clock.ts';
import { sha256 } from '../platform/sha256.ts';
import type { Attempts, Started } from './attempts.ts';

/** Longer than an execution may run, so one that runs is of this period or of the one before. */
const PERIOD_MS = 15 * 60_000;
/** Nobody can tell whether a result was seen. For so long, the same words again ask for that one. */
const UNSEEN_MS = 5 * 60_000;
/** Executions of one request in one period. */
const MOST_STARTED = 100;

/** What failed was worth another try, and what completed long ago was seen. */
function isWanted({ status, completedAt }: Execution, now: number): boolean {
  if (status === 'running') return true;
  return status === 'completed' && Date.parse(completedAt ?? '') > now - UNSEEN_MS;
}

export function createSharedAttempts(clock: Clock): Attempts {
  async function findOrStart(client: MillraceClient, request: NewExecution): Promise<Started> {
    const now = clock.now();
    const fingerprint = sha256(JSON.stringify(request));
    const current = Math.floor(now / PERIOD_MS);
    const keyOf = (period: number, index: number) => sha256(`${fingerprint} ${period} ${index}`);

    /** The last one that was started in a period, if it is the one to wait for. */
    async function findIn(period: number): Promise<string | undefined> {
      let last: string | undefined;
      for (let index = 0; index <= MOST_STARTED; index++) {
        const page = await client.executions.list({ idempotencyKey: keyOf(period, index) });
        const [found] = page.items;
        if (found === undefined) break;
        last = found.id;
      }
      if (last === undefined) return undefined;
      return isWanted(await client.executions.get(last), now) ? last : undefined;
    }

    // The clock of the node that started it may be ahead of this one's.
    const found = (await findIn(current + 1)) ?? (await findIn(current - 1));
    if (found !== undefined) return { id: found, isReplayed: true };
    for (let index = 0; ; index++) {
      let isReplayed = false;
      const { id } = await client.executions.create(request, {
        idempotencyKey: keyOf(current, index),
        onReplayed: () => (isReplayed = true),
      });
      if (!isReplayed || index === MOST_STARTED) return { id, isReplayed };
      if (isWanted(await client.executions.get(id), now)) return { id, isReplayed };
    }
  }

  return {
    join: (client, request) => ({
      attempt: {
        started: findOrStart(client, request),
        generation: 0,
        waiting: 0,
        isReported: false,
      },
      isEarlier: false,
    }),
    reported() {},
    latest: () => undefined,
  };
}
