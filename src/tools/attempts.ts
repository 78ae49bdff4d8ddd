// Which execution a call is about. A client that lost patience calls again with the same arguments, and
// must get the execution that it started, not a second one that is paid for again. A call that comes
// after the end was reported is a new request.
import type { Execution, MillraceClient, NewExecution } from '../client/index.ts';
import type { Clock } from '../platform/clock.ts';
import { sha256 } from '../platform/sha256.ts';
import type { Workspace } from './deps.ts';
import { checkStarted, getExecution } from './get-execution.ts';

/** A process that was killed and started again finds its execution for so long. */
const BUCKET_MS = 15 * 60_000;
const MOST_KNOWN = 100;
/** Executions with the same key that failed before. */
const MOST_EARLIER = 20;

export interface Started {
  id: string;
  /** Another process has started it, with the same request. */
  isReplayed: boolean;
}

export interface Attempt {
  started: Promise<Started>;
  generation: number;
  /** Calls that wait for it now. */
  waiting: number;
  /** The client knows how it ended. */
  isReported: boolean;
}

export interface AttemptOptions {
  workspace: Workspace | undefined;
  /** When its end is reported, its result is written or asked about. */
  needsDecision: boolean;
}

export interface Attempts {
  /** The execution of this request that is under way or not reported yet; else a new one. */
  join(client: MillraceClient, request: NewExecution, options: AttemptOptions): Joined;
  reported(executionId: string): void;
  /** The newest execution that this session started or joined, where there are sessions. */
  latest(): string | undefined;
}

export interface Joined {
  attempt: Attempt;
  /** An earlier call of this session has started it. */
  isEarlier: boolean;
}

/**
 * The server remembers the key. What it gives back may have ended before: that one is worth having if
 * it completed, because nobody may have seen it; after a failure the caller wants another try.
 */
async function start(
  client: MillraceClient,
  request: NewExecution,
  keyOf: (again: number) => string,
): Promise<Started> {
  for (let again = 0; ; again++) {
    let isReplayed = false;
    const started = await client.executions.create(request, {
      idempotencyKey: keyOf(again),
      onReplayed: () => (isReplayed = true),
    });
    const { id } = checkStarted(started);
    if (!isReplayed || again === MOST_EARLIER) return { id, isReplayed };
    if (!hasFailed(await getExecution(client, id))) return { id, isReplayed };
  }
}

function hasFailed({ status }: Execution): boolean {
  return status === 'failed' || status === 'cancelled';
}

export function createAttempts(clock: Clock): Attempts {
  const known = new Map<string, Attempt>();
  const ids = new Map<string, Attempt>();
  let newest: string | undefined;

  function forget(): void {
    for (const map of [known, ids]) {
      for (const key of map.keys()) {
        if (map.size <= MOST_KNOWN) break;
        map.delete(key);
      }
    }
  }

  return {
    join(client, request, { workspace, needsDecision }) {
      const fingerprint = sha256(JSON.stringify([workspace?.root, request]));
      const earlier = known.get(fingerprint);
      if (earlier !== undefined && !earlier.isReported) {
        void earlier.started.then(({ id }) => (newest = id)).catch(() => {});
        return { attempt: earlier, isEarlier: true };
      }
      const generation = (earlier?.generation ?? -1) + 1;
      const bucket = Math.floor(clock.now() / BUCKET_MS);
      const keyOf = (again: number) => sha256(`${fingerprint} ${bucket} ${generation + again}`);
      const started = import('./latest.ts').then(async ({ rememberLatest }) => {
        const found = await start(client, request, keyOf);
        await rememberLatest(workspace, found.id);
        if (workspace && needsDecision) {
          const { rememberUndecided } = await import('./undecided.ts');
          await rememberUndecided(workspace, found.id, 'open');
        }
        return found;
      });
      const attempt: Attempt = { started, generation, waiting: 0, isReported: false };
      known.delete(fingerprint);
      known.set(fingerprint, attempt);
      started.then(
        ({ id }) => {
          newest = id;
          ids.set(id, attempt);
        },
        // Nothing was started, or nobody knows: the same key finds out.
        () => known.delete(fingerprint),
      );
      forget();
      return { attempt, isEarlier: false };
    },
    reported(executionId) {
      const attempt = ids.get(executionId);
      if (attempt !== undefined) attempt.isReported = true;
    },
    latest: () => newest,
  };
}
