// Executions as their owner uses them: start, look, list, cancel.
import { ServiceError } from '../../contract/errors.ts';
import type {
  CancelledExecution,
  CreateExecutionRequest,
  CreatedExecution,
  ExecutionPage,
  ExecutionQuery,
  RunPlanRequest,
} from '../../contract/execution-api.ts';
import { EXECUTION_ID_PATTERN } from '../../contract/fields.ts';
import type { Artifact } from '../../contract/artifact.ts';
import type { FinalState } from '../../domain/execution/model.ts';
import { filesChangedBy } from '../../domain/execution/results.ts';
import type { Clock } from '../../platform/clock.ts';
import { withPrefix } from '../../platform/ids.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { pageOf } from '../page.ts';
import type { Access } from '../access.ts';
import type { Identity } from '../../domain/access/identity.ts';
import type { ExecutionRef } from '../../store/executions/execution-rows.ts';
import type { NewJob } from '../../store/jobs/new-job.ts';
import { listStepViews } from '../../store/executions/execution-steps.ts';
import {
  findExecution,
  findExecutionWebhook,
  isSettled,
  listExecutions,
} from '../../store/executions/executions.ts';
import type { ExecutionRow } from '../../store/executions/executions.ts';
import { planningJob } from './execution-create.ts';
import type { CreateExecutionDeps } from './execution-create.ts';
import { plannedJob } from './run-plan.ts';
import { executionView, listedView, statusUrlOf } from './execution-view.ts';
import { answer } from '../jobs/submit.ts';
import { openWebhookSecret } from '../webhooks/webhook-secrets.ts';

export interface ExecutionService {
  create(
    identity: Identity,
    request: CreateExecutionRequest,
    options: { idempotencyKey: string | undefined; trace: string | undefined },
  ): Promise<{ execution: CreatedExecution; replayed: boolean }>;
  /** Runs the plan of a dry run, which is not made again. */
  runPlan(
    identity: Identity,
    id: string,
    request: RunPlanRequest,
    options: { idempotencyKey: string | undefined; trace: string | undefined },
  ): Promise<{ execution: CreatedExecution; replayed: boolean }>;
  /** As JSON. */
  view(identity: Identity, id: string): Promise<string>;
  list(identity: Identity, query: ExecutionQuery): Promise<ExecutionPage>;
  cancel(identity: Identity, id: string): Promise<CancelledExecution>;
  /** The row, for its owner only. */
  find(identity: Identity, id: string): Promise<ExecutionRow>;
}

/** How long a cancel waits for the workers to tell the tokens used; usually some milliseconds. */
const SETTLE_MS = 5000;
const SETTLE_STEP_MS = 20;

export function createExecutionService(
  deps: CreateExecutionDeps & {
    access: Access;
    /** Undefined: it had ended. */
    closer: { cancel(execution: ExecutionRef): Promise<FinalState | undefined> };
    clock: Clock;
    metrics: Metrics;
  },
): ExecutionService {
  async function find(identity: Identity, id: string): Promise<ExecutionRow> {
    const row = EXECUTION_ID_PATTERN.test(id) ? await findExecution(deps.db, id) : undefined;
    if (row === undefined)
      throw new ServiceError('NOT_FOUND', 'There is no execution with this id.');
    await deps.access.mayRead(identity, row, 'execution');
    return row;
  }

  async function untilSettled(run: ExecutionRow): Promise<void> {
    const until = deps.clock.now() + SETTLE_MS;
    while (!(await isSettled(deps.db, run)) && deps.clock.now() < until) {
      await deps.clock.sleep(SETTLE_STEP_MS);
    }
  }

  function filesOf(row: ExecutionRow): string[] {
    if (row.result === null) return [];
    return filesChangedBy((JSON.parse(row.result) as { artifacts: Artifact[] }).artifacts);
  }

  async function start(
    identity: Identity,
    job: NewJob,
  ): Promise<{ execution: CreatedExecution; replayed: boolean }> {
    const { jobId, replayed } = answer(await deps.submitter.submit(job), job.serviceTier);
    deps.metrics.jobsSubmitted.inc({ outcome: replayed ? 'replayed' : 'accepted' });
    const id = withPrefix(jobId, 'exec');
    const row = await find(identity, id);
    const webhook = job.execution?.webhook
      ? await findExecutionWebhook(deps.db, id, identity.teamId)
      : undefined;
    const execution: CreatedExecution = {
      id,
      status: 'running',
      createdAt: row.createdAt.toISOString(),
      statusUrl: statusUrlOf(id),
      ...(webhook && { webhookSecret: openWebhookSecret(deps.masterKeys, webhook) }),
    };
    return { execution, replayed };
  }

  return {
    find,
    async create(identity, request, { idempotencyKey, trace }) {
      const job = await planningJob(deps, identity, request, { idempotencyKey });
      return start(identity, { ...job, trace });
    },
    async runPlan(identity, id, { options }, { idempotencyKey, trace }) {
      const dryRun = await find(identity, id);
      await deps.access.mayWrite(identity, dryRun, 'execution');
      const job = await plannedJob(deps, identity, dryRun, { options, idempotencyKey });
      return start(identity, { ...job, trace });
    },
    async view(identity, id) {
      const row = await find(identity, id);
      return executionView(row, await listStepViews(deps.db, row));
    },
    async list(identity, { limit, status, before, mine, idempotencyKey }) {
      const isOwn = mine === 'true' || idempotencyKey !== undefined;
      const userId = isOwn ? identity.userId : undefined;
      const filter = { limit: limit + 1, status, before, userId, idempotencyKey };
      const rows = await listExecutions(deps.db, identity.teamId, filter);
      return { ...pageOf(rows, limit, listedView), limit };
    },
    async cancel(identity, id) {
      const before = await find(identity, id);
      await deps.access.mayWrite(identity, before, 'execution');
      const finalState = before.status === 'running' ? await deps.closer.cancel(before) : undefined;
      // Also for one that another call has cancelled: its counts may still be on their way.
      await untilSettled(before);
      const row = await find(identity, id);
      const { progress, metrics } = listedView(row);
      return {
        id,
        cancelled: finalState !== undefined,
        status: row.status,
        finalState: {
          progress,
          currentStep: finalState?.currentStep ?? null,
          tokensUsed: metrics.tokensUsed,
          filesChanged: finalState?.filesChanged ?? filesOf(row),
        },
      };
    },
  };
}
