// Waits for an execution, and reports its progress meanwhile. A server that goes away during the wait is
// looked for again, or started: the execution is on its disk, and it resumes when a server is back.
import type { Execution, MillraceClient } from '../client/index.ts';
import type { Clock } from '../platform/clock.ts';
import { checkExecution, getExecution, isPassing } from './get-execution.ts';

export interface FollowOptions {
  signal: AbortSignal;
  /** At this time what is known then is good enough. */
  until: number;
  /** Asked for the state that often; undefined when nobody wants to know. */
  beat?: { everyMs: number; tell(execution: Execution): Promise<void> } | undefined;
  waitsForServer: boolean;
}

export interface Following {
  client: MillraceClient;
  /** For a server that is gone: it may be elsewhere by now. */
  connect(): Promise<MillraceClient>;
  clock: Clock;
}

/** Between looks at a server that is away. */
const AWAY_MS = 500;

async function watch(client: MillraceClient, id: string, signal: AbortSignal): Promise<Execution> {
  for await (const event of client.executions.events(id, { signal })) {
    if (event.type === 'done') return checkExecution(event.data);
  }
  return getExecution(client, id, { signal });
}

type Watched = { kind: 'end'; execution: Execution } | { kind: 'lost'; error: unknown };

async function watched(...[client, id, signal]: Parameters<typeof watch>): Promise<Watched> {
  try {
    return { kind: 'end', execution: await watch(client, id, signal) };
  } catch (error) {
    return { kind: 'lost', error };
  }
}

export async function follow(
  { client: first, connect, clock }: Following,
  id: string,
  options: FollowOptions,
): Promise<Execution> {
  const { until, beat, waitsForServer } = options;
  const isWaitedFor = (error: unknown) => waitsForServer && isPassing(error);
  // A server that stops ends its streams; where it is not waited for, what is known has to do.
  const isOver = ({ status }: Execution) => status !== 'running' || !waitsForServer;
  let client = first;
  // A server that is away from the start is reported at once.
  let known = await getExecution(client, id);
  if (known.status !== 'running') return known;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  let watching = watched(client, id, signal);
  const look = async (isLost: boolean): Promise<Execution | undefined> => {
    try {
      if (isLost) client = await connect();
      return await getExecution(client, id, { signal: options.signal });
    } catch (error) {
      options.signal.throwIfAborted();
      if (!isWaitedFor(error) || clock.now() >= until) throw error;
      return undefined;
    }
  };
  try {
    for (let isLost = false; ;) {
      await beat?.tell(known);
      const left = until - clock.now();
      const pause = clock.sleep(Math.max(0, Math.min(beat?.everyMs ?? left, left)), signal);
      const news = await Promise.race([watching, pause]);
      options.signal.throwIfAborted();
      if (news?.kind === 'end' && isOver(news.execution)) return news.execution;
      if (news !== undefined) {
        if (news.kind === 'lost' && !isWaitedFor(news.error)) throw news.error;
        isLost = true;
        await clock.sleep(Math.max(0, Math.min(AWAY_MS, until - clock.now())), signal);
      }
      const looked = await look(isLost);
      if (looked !== undefined && (looked.status !== 'running' || clock.now() >= until)) {
        return looked;
      }
      known = looked ?? known;
      if (isLost && looked !== undefined) {
        isLost = false;
        watching = watched(client, id, signal);
      }
    }
  } finally {
    over.abort();
  }
}
