// An execution as a stream of events. What has happened is stored and numbered: a reader that comes
// back names the last number it saw, and one that comes late gets everything from the start. What
// is under way (`status`) is reported as it is seen, under the number of the last stored event.
import type { Identity } from '../../domain/access/identity.ts';
import type { Db } from '../../store/postgres/db.ts';
import { listStepViews } from '../../store/executions/execution-steps.ts';
import { listEvents } from '../../store/executions/executions.ts';
import type { ExecutionRow, StoredEvent } from '../../store/executions/executions.ts';
import { currentStepOf, executionView, progressOf } from './execution-view.ts';
import type { ExecutionService } from './executions.ts';
import type { JobWatch } from '../jobs/job-watch.ts';

export interface ExecutionEvent {
  id: string;
  event: 'status' | 'step' | 'done';
  /** JSON. */
  data: string;
}

export interface ExecutionEventService {
  /** Fails like a look at the execution would; then yields until it has ended or `signal` aborts. */
  follow(
    identity: Identity,
    id: string,
    options: { lastEventId: string | undefined; signal: AbortSignal },
  ): Promise<AsyncIterable<ExecutionEvent>>;
}

/** A lost wake-up costs a reader at most this. */
const RECHECK_MS = 2000;

function parsePosition(lastEventId: string | undefined): number {
  return /^\d{1,9}$/.test(lastEventId ?? '') ? Number(lastEventId) : 0;
}

export function createExecutionEventService(deps: {
  db: Db;
  executions: ExecutionService;
  watch: JobWatch;
}): ExecutionEventService {
  async function stateOf(row: ExecutionRow): Promise<string> {
    const steps = await listStepViews(deps.db, row);
    const running = steps.filter((step) => step.status === 'in_progress').map(({ index }) => index);
    const { status } = row;
    const progress = progressOf(row, steps);
    return JSON.stringify({ status, progress, currentStep: currentStepOf(steps), running });
  }

  async function eventOf(row: ExecutionRow, { sequence, event, data }: StoredEvent) {
    const id = String(sequence);
    if (event === 'execution.started') {
      return { id, event: 'status' as const, data: data ?? '{"status":"running"}' };
    }
    if (event === 'execution.step_completed') {
      const { step } = JSON.parse(data ?? '{}') as { step?: unknown };
      return { id, event: 'step' as const, data: JSON.stringify(step) };
    }
    return {
      id,
      event: 'done' as const,
      data: executionView(row, await listStepViews(deps.db, row)),
    };
  }

  async function* events(
    identity: Identity,
    id: string,
    from: number,
    signal: AbortSignal,
  ): AsyncGenerator<ExecutionEvent> {
    let changed = Promise.withResolvers<void>();
    const wake = () => changed.resolve();
    const off = deps.watch.watch(id, wake);
    signal.addEventListener('abort', wake, { once: true });
    let sequence = from;
    let lastState = '';
    try {
      while (!signal.aborted) {
        changed = Promise.withResolvers<void>();
        // The row after the events: a reader of the last event sees the result, too.
        const stored = await listEvents(deps.db, id, sequence);
        const row = await deps.executions.find(identity, id);
        for (const event of stored) {
          sequence = event.sequence;
          const next = await eventOf(row, event);
          yield next;
          if (next.event === 'done') return;
        }
        // Ended, and the last event was seen before.
        if (row.status !== 'running' && row.sequence <= sequence) return;
        if (row.status === 'running') {
          const state = await stateOf(row);
          if (state !== lastState) {
            lastState = state;
            yield { id: String(sequence), event: 'status', data: state };
          }
        }
        const recheck = setTimeout(wake, RECHECK_MS);
        await changed.promise;
        clearTimeout(recheck);
      }
    } finally {
      off();
      signal.removeEventListener('abort', wake);
    }
  }

  return {
    async follow(identity, id, { lastEventId, signal }) {
      await deps.executions.find(identity, id);
      return events(identity, id, parsePosition(lastEventId), signal);
    },
  };
}
