// What a run may cost, as its server keeps it. The server refuses a call that could pass the limit; most calls cost much
// less than they could, so one that is refused waits for what others do not use.
import { mayBeCoveredLater } from '../../domain/usage/reservation.ts';
import type { MillraceClient } from '../../client/index.ts';
import type { RunCaps } from '../../contract/stream-token-api.ts';
import { NO_TOKENS } from '../../domain/run/replay.ts';
import type { Asked, CallEnd } from './model-caller.ts';
import type { RunTask } from './task.ts';

export interface RunCap {
  /** Has the server keep the limits of the run and of this stream: once, before the first call. Fails as any request may. */
  keep(task: CappedTask, signal: AbortSignal): Promise<void>;
  /**
   * Makes the call, as often as it takes until it fits. `submitted` must be called when the server has taken it: from then
   * on it holds a reservation, and others wait for its end.
   */
  within(call: (submitted: () => void) => Promise<CallEnd>, signal: AbortSignal): Promise<Asked>;
}

export type CappedTask = Pick<RunTask, 'id' | 'root' | 'maxCostUsd'>;

/** What others of the run hold is looked at again after this: agents and other nodes do not say when they end. */
const LOOK_AGAIN_MS = 2000;

/** `limitUsd`: undefined takes away a limit that the run had before. */
export function createRunCap(
  client: MillraceClient,
  run: {
    runId: string;
    limitUsd: number | undefined;
    hadLimit: boolean;
    /** A stream with its fixes, in order. */
    chainOf(root: string): readonly string[];
  },
): RunCap {
  let waiting: (() => void)[] = [];
  let isSet: Promise<void> | undefined;

  function change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_AGAIN_MS);
      const wake = () => {
        clearTimeout(timer);
        resolve();
      };
      waiting.push(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  function ended(): void {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  const streams = new Map<string, Promise<void>>();

  /** A stream and its fixes have one limit together, and work one after the other: each gets what the others left. */
  async function limitStream({ id, root = id, maxCostUsd }: CappedTask, signal: AbortSignal) {
    const others = run.chainOf(root).filter((one) => one !== id);
    const known: RunCaps['streams'] =
      others.length === 0 ? {} : (await client.getRunCaps(run.runId, { signal })).streams;
    const used = others.reduce((sum, one) => {
      const cap = known[one];
      return sum + (cap === undefined ? 0 : cap.spentUsd + cap.reservedUsd);
    }, 0);
    const limitUsd = Math.max(0, maxCostUsd! - used);
    await client.setRunCaps(run.runId, { streams: { [id]: limitUsd } }, { signal });
  }

  async function keepStream(task: CappedTask, signal: AbortSignal): Promise<void> {
    if (task.maxCostUsd === undefined) return;
    const { id } = task;
    const isSet = streams.get(id) ?? limitStream(task, signal);
    streams.set(id, isSet);
    await isSet.catch((error: unknown) => {
      streams.delete(id);
      throw error;
    });
  }

  async function keepRun(signal: AbortSignal): Promise<void> {
    const { runId, limitUsd, hadLimit } = run;
    if (limitUsd === undefined && !hadLimit) return;
    isSet ??= client.setRunCaps(runId, { maxCostUsd: limitUsd ?? null }, { signal }).then(
      () => undefined,
      (error: unknown) => {
        isSet = undefined;
        throw error;
      },
    );
    await isSet;
  }

  return {
    async keep(task, signal) {
      await keepRun(signal);
      await keepStream(task, signal);
    },
    async within(call, signal) {
      for (;;) {
        let isOpen = false;
        const end = await call(() => (isOpen = true));
        if (isOpen) ended();
        const refused = end.kind === 'failed' ? end.cap : undefined;
        if (refused === undefined) return end;
        const { costUsd: neededUsd, spentUsd } = refused;
        if (!mayBeCoveredLater(refused, neededUsd)) {
          const isOfStream = refused.streamId != null;
          return { kind: 'over_budget', neededUsd, spentUsd, ...(isOfStream && { isOfStream }) };
        }
        await change(signal);
        if (signal.aborted) return { kind: 'stopped', tokens: { ...NO_TOKENS }, costUsd: 0 };
      }
    },
  };
}
