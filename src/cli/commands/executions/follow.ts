// An execution from now to its end. Its events say what changed; names, waves and cost are only in
// the execution itself, which is read again when that is worth a request.
import type { Execution, ExecutionStep, MillraceClient } from '../../../client/index.ts';
import type { ExecutionView } from './view/execution-view.ts';

/** A look costs a request of the caller's minute: not more often than this. */
const LOOK_EVERY_MS = 5000;

interface Progress {
  progress?: Execution['progress'];
  running?: number[];
}

function withStatus(execution: Execution, { progress, running = [] }: Progress): Execution {
  const steps = execution.steps.map((step): ExecutionStep => {
    if (step.status !== 'pending' || !running.includes(step.index)) return step;
    return { ...step, status: 'in_progress' };
  });
  return { ...execution, steps, ...(progress === undefined ? {} : { progress }) };
}

function withStep(execution: Execution, ended: ExecutionStep): Execution {
  const before = execution.steps.find(({ index }) => index === ended.index);
  const steps = execution.steps.map((step) => (step.index === ended.index ? ended : step));
  const tokensUsed =
    execution.metrics.tokensUsed + ended.tokensUsed - (before?.tokensUsed ?? ended.tokensUsed);
  const current = steps.filter(({ status }) => status === 'complete').length;
  const progress = { ...execution.progress, current };
  return { ...execution, steps, progress, metrics: { ...execution.metrics, tokensUsed } };
}

export async function followExecution(
  client: MillraceClient,
  id: string,
  view: ExecutionView,
  signal: AbortSignal,
): Promise<Execution> {
  let known = await client.executions.get(id, { signal });
  let lookedAt = Date.now();
  view.show(known);
  // A look that fails now is not worth ending for: the events go on without it.
  const look = async () => {
    lookedAt = Date.now();
    known = await client.executions.get(id, { signal }).catch(() => known);
  };
  for await (const { type, data } of client.executions.events(id, { signal })) {
    if (type === 'done') {
      const done = data as unknown as Execution;
      view.show(done);
      return done;
    }
    if (type === 'status') {
      const reported = data as Progress;
      const isNewPlan = (reported.progress?.total ?? 0) !== known.steps.length;
      if (isNewPlan) await look();
      known = withStatus(known, reported);
    }
    if (type === 'step') {
      known = withStep(known, data as unknown as ExecutionStep);
      if (Date.now() - lookedAt > LOOK_EVERY_MS) await look();
    }
    view.show(known);
  }
  const last = await client.executions.get(id, { signal });
  view.show(last);
  return last;
}
