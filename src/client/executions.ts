// The executions API: tasks that the server plans and runs.
import { part } from './calls.ts';
import type { CallOptions, Calls } from './calls.ts';
import type {
  CancelledExecution,
  Execution,
  ExecutionEvent,
  ExecutionPage,
  ExecutionStatus,
  ListedExecution,
  NewExecution,
  PlanToRun,
  StartedExecution,
} from './executions-types.ts';

const BASE = '/v1/executions';

export interface ExecutionsApi {
  /** Starts an execution; a lost answer does not start it twice. */
  create(body: NewExecution, options?: CallOptions): Promise<StartedExecution>;
  /** Runs the plan of a dry run, which is not made again; a lost answer does not start it twice. */
  runPlan(id: string, body?: PlanToRun, options?: CallOptions): Promise<StartedExecution>;
  get(id: string, options?: CallOptions): Promise<Execution>;
  list(
    page?: {
      limit?: number;
      status?: ExecutionStatus;
      before?: string;
      /** Only those that you started yourself. */
      mine?: boolean;
      /** Only the one that you started with this key in the last 24 hours. */
      idempotencyKey?: string;
    },
    options?: CallOptions,
  ): Promise<ExecutionPage>;
  /** All executions, newest first, page after page. */
  all(
    filter?: { status?: ExecutionStatus },
    options?: CallOptions,
  ): AsyncGenerator<ListedExecution>;
  cancel(id: string, options?: CallOptions): Promise<CancelledExecution>;
  /** What happens, from the start to the end; a lost connection leaves no gap. */
  events(id: string, options?: CallOptions): AsyncGenerator<ExecutionEvent>;
}

export function executionsApi({ get, send, events }: Calls): ExecutionsApi {
  const list: ExecutionsApi['list'] = (page, options) => get(BASE, options, page);
  return {
    create: (body, options) => send('POST', BASE, options, body),
    runPlan: (id, body, options) => send('POST', `${BASE}/${part(id)}/run`, options, body ?? {}),
    get: (id, options) => get(`${BASE}/${part(id)}`, options),
    list,
    async *all(filter, options) {
      let before: string | undefined;
      do {
        const page = await list({ ...filter, limit: 100, ...(before ? { before } : {}) }, options);
        yield* page.items;
        before = page.nextCursor ?? undefined;
      } while (before);
    },
    cancel: (id, options) => send('POST', `${BASE}/${part(id)}/cancel`, options),
    async *events(id, options) {
      for await (const { event, data } of events(`${BASE}/${part(id)}/events`, options)) {
        yield { type: event, data: data as Record<string, unknown> };
      }
    },
  };
}
