// Waits for an execution, and tells how it goes meanwhile. A server that goes away while somebody waits
// is waited for, too: the execution is on its disk, and it resumes when it is back.
import type { Execution, ExecutionEvent, ExecutionStep, MillraceClient } from '../client/index.ts';
import type { Clock } from '../platform/clock.ts';
import { checkExecution, getExecution, isPassing } from './get-execution.ts';

export interface FollowOptions {
  signal: AbortSignal;
  /** At this time what is known then is good enough. */
  until: number;
  /** Asked for the state that often; undefined when nobody wants to know. */
  beat?: { everyMs: number; tell(execution: Execution): Promise<void> } | undefined;
  waitsForServer: boolean;
  /** Returns at the first change, not only at the end. */
  returnsNews?: boolean;
}

/** Between looks at a server that is away. */
const AWAY_MS = 500;

/** The events begin with all that happened before. */
function isNews(first: Execution, { type, data }: ExecutionEvent): boolean {
  if (type === 'step') {
    const { index, status } = data as unknown as ExecutionStep;
    return first.steps.find((step) => step.index === index)?.status !== status;
  }
  const { total } = (data['progress'] ?? {}) as { total?: number };
  return type === 'status' && total !== undefined && total !== first.progress.total;
}

async function watch(
  client: MillraceClient,
  first: Execution,
  { signal, returnsNews = false }: FollowOptions,
): Promise<Execution> {
  const { id } = first;
  for await (const event of client.executions.events(id, { signal })) {
    if (event.type === 'done') return checkExecution(event.data);
    if (returnsNews && isNews(first, event)) break;
  }
  return getExecution(client, id, { signal });
}

type Watched = { kind: 'news'; execution: Execution } | { kind: 'lost'; error: unknown };

async function watched(...[client, first, options]: Parameters<typeof watch>): Promise<Watched> {
  try {
    return { kind: 'news', execution: await watch(client, first, options) };
  } catch (error) {
    return { kind: 'lost', error };
  }
}

export async function follow(
  { client, clock }: { client: MillraceClient; clock: Clock },
  id: string,
  options: FollowOptions,
): Promise<Execution> {
  const { until, beat, waitsForServer } = options;
  const isWaitedFor = (error: unknown) => waitsForServer && isPassing(error);
  // A server that is away from the start is told at once.
  let known = await getExecution(client, id);
  if (known.status !== 'running') return known;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  let watching = watched(client, known, { ...options, signal });
  const look = async (): Promise<Execution | undefined> => {
    try {
      return await getExecution(client, id, { signal: options.signal });
    } catch (error) {
      options.signal.throwIfAborted();
      if (!isWaitedFor(error) || clock.now() >= until) throw error;
      return undefined;
    }
  };
  try {
    for (;;) {
      await beat?.tell(known);
      const left = until - clock.now();
      const pause = clock.sleep(Math.max(0, Math.min(beat?.everyMs ?? left, left)), signal);
      const news = await Promise.race([watching, pause]);
      options.signal.throwIfAborted();
      if (news?.kind === 'news') return news.execution;
      if (news?.kind === 'lost') {
        if (!isWaitedFor(news.error)) throw news.error;
        await clock.sleep(Math.max(0, Math.min(AWAY_MS, until - clock.now())), signal);
      }
      const looked = await look();
      if (looked !== undefined && (looked.status !== 'running' || clock.now() >= until)) {
        return looked;
      }
      known = looked ?? known;
      if (news?.kind === 'lost' && looked !== undefined) {
        watching = watched(client, known, { ...options, signal });
      }
    }
  } finally {
    over.abort();
  }
}
