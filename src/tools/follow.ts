// Waits for an execution, and tells how it goes meanwhile.
import type { Execution, ExecutionEvent, ExecutionStep, MillraceClient } from '../client/index.ts';
import type { Clock } from '../platform/clock.ts';

export interface FollowOptions {
  signal: AbortSignal;
  /** At this time what is known then is good enough. */
  until: number;
  /** Asked for the state that often; undefined when nobody wants to know. */
  beat?: { everyMs: number; tell(execution: Execution): Promise<void> } | undefined;
  /** Returns at the first change, not only at the end. */
  returnsNews?: boolean;
}

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
    if (event.type === 'done') return event.data as unknown as Execution;
    if (returnsNews && isNews(first, event)) break;
  }
  return client.executions.get(id, { signal });
}

export async function follow(
  { client, clock }: { client: MillraceClient; clock: Clock },
  id: string,
  options: FollowOptions,
): Promise<Execution> {
  const { until, beat } = options;
  let known = await client.executions.get(id);
  if (known.status !== 'running') return known;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const watching = watch(client, known, { ...options, signal });
  // It also fails when it is no longer needed.
  watching.catch(() => {});
  try {
    for (;;) {
      await beat?.tell(known);
      const left = until - clock.now();
      const pause = clock.sleep(Math.max(0, Math.min(beat?.everyMs ?? left, left)), signal);
      const ended = await Promise.race([watching, pause]);
      options.signal.throwIfAborted();
      if (ended !== undefined) return ended;
      known = await client.executions.get(id);
      if (known.status !== 'running' || clock.now() >= until) return known;
    }
  } finally {
    over.abort();
  }
}
