// The plan of a dry run, run as it was shown: what was planned is not planned and paid for again.
import { ServiceError } from '../../contract/errors.ts';
import type { CreateExecutionRequest, RunPlanRequest } from '../../contract/execution-api.ts';
import type { Identity } from '../../domain/access/identity.ts';
import type { ExecutionResult } from '../../domain/execution/model.ts';
import { findChoices, findInput } from '../../store/executions/execution-rows.ts';
import { listSteps } from '../../store/executions/execution-steps.ts';
import type { ExecutionRow } from '../../store/executions/executions.ts';
import type { NewJob } from '../../store/jobs/new-job.ts';
import { planningJob } from './execution-create.ts';
import type { CreateExecutionDeps } from './execution-create.ts';

function checkIsPlan({ id, dryRun, status, result }: ExecutionRow): void {
  if (!dryRun) {
    throw new ServiceError(
      'CONFLICT',
      `${id} was no dry run. Only the plan of a dry run can be run.`,
    );
  }
  if (status === 'running') {
    throw new ServiceError('CONFLICT', `${id} is still being planned. Wait for its end.`);
  }
  const plan = result === null ? undefined : (JSON.parse(result) as ExecutionResult).plan;
  if (plan === undefined) {
    throw new ServiceError('CONFLICT', `${id} has no plan: it was ${status}. Start a new dry run.`);
  }
}

/** The job of a new execution whose steps are those of the dry run. */
export async function plannedJob(
  deps: CreateExecutionDeps,
  identity: Identity,
  dryRun: ExecutionRow,
  { options, idempotencyKey }: RunPlanRequest & { idempotencyKey: string | undefined },
): Promise<NewJob> {
  checkIsPlan(dryRun);
  if (dryRun.teamId !== identity.teamId) {
    const message = `${dryRun.id} belongs to another of your teams. Act in that team to run its plan.`;
    throw new ServiceError('CONFLICT', message);
  }
  const { id, model, provider, maxSteps } = dryRun;
  const { task, context } = await findInput(deps.db, id);
  const { timeout, maxTokens, reasoning, serviceTier } = await findChoices(deps.db, id);
  const steps = (await listSteps(deps.db, id)).filter(({ position }) => position >= 0);
  const budgetUsd = options.budgetUsd ?? dryRun.budgetUsd ?? undefined;
  const request: CreateExecutionRequest = {
    task,
    context,
    model,
    provider,
    options: {
      dryRun: false,
      maxSteps,
      timeout: options.timeout ?? timeout,
      maxTokens,
      ...(reasoning && { reasoning }),
      ...(serviceTier && { serviceTier }),
      ...(budgetUsd !== undefined && { budgetUsd }),
      ...(options.webhookUrl !== undefined && { webhookUrl: options.webhookUrl }),
    },
  };
  return planningJob(deps, identity, request, { idempotencyKey, planned: { by: id, steps } });
}
