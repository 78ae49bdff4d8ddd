// An execution as a task of the protocol. The execution on the server is all the state there is, so a
// handle stays good when the process that gave it is gone.
import type { Execution } from '../../client/index.ts';
import type { Origin } from '../headline.ts';
import { stepText } from '../progress.ts';

const TTL_MS = 24 * 3_600_000;
const POLL_INTERVAL_MS = 2000;

export interface TaskView {
  taskId: string;
  status: 'working' | 'input_required' | 'completed' | 'cancelled';
  statusMessage: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number;
  pollIntervalMs: number;
}

// A failed execution is a call that completed, with an error as its result.
const STATUSES = {
  running: 'working',
  completed: 'completed',
  failed: 'completed',
  cancelled: 'cancelled',
} as const;

function messageOf(execution: Execution, origin: Origin | undefined): string {
  const { status, progress } = execution;
  if (status === 'running') {
    return `${origin === 'joined' ? 'Joined the execution of the same call; ' : ''}${stepText(execution)}`;
  }
  const { current, total } = progress;
  const what = { completed: 'Completed', failed: 'Failed', cancelled: 'Cancelled' }[status];
  return total === 0 ? what : `${what}: ${current} of ${total} steps done`;
}

export function taskOf(execution: Execution, origin?: Origin): TaskView {
  const { id, status, createdAt, completedAt, metrics } = execution;
  const looked = new Date(Date.parse(createdAt) + metrics.duration).toISOString();
  return {
    taskId: id,
    status: STATUSES[status],
    statusMessage: messageOf(execution, origin),
    createdAt,
    lastUpdatedAt: completedAt ?? looked,
    ttlMs: TTL_MS,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
}
