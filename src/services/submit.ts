// Turns a request to execute into a job, or says why not.
import { createHash } from 'node:crypto';
import { ServiceError, invalid } from '../contract/errors.ts';
import type { ExecuteRequest } from '../contract/job-api.ts';
import { routeModel } from '../domain/model-routing.ts';
import { usableParts } from '../domain/prompt-parts.ts';
import { TIERS } from '../domain/tiers.ts';
import { newId } from '../platform/ids.ts';
import type { Identity } from '../store/accounts.ts';
import { toJsonText } from '../store/json-text.ts';
import type { NewJob, SubmitReply, Submitter } from '../store/submit-jobs.ts';

export interface SubmitDeps {
  submitter: Submitter;
  /** Providers that this server can call. */
  providers: ReadonlySet<string>;
  defaultProvider: string | undefined;
}

export interface Submitted {
  jobId: string;
  replayed: boolean;
}

function route(deps: SubmitDeps, request: ExecuteRequest) {
  const routed = routeModel(request.model, {
    ...(request.provider === undefined ? {} : { provider: request.provider }),
    ...(deps.defaultProvider === undefined ? {} : { defaultProvider: deps.defaultProvider }),
  });
  if (routed.kind === 'unknown') throw invalid('model', 'UNKNOWN_MODEL', routed.message);
  if (deps.providers.has(routed.provider)) return routed;
  if (routed.provider === 'simulator') {
    const message = 'Simulated models are switched off on this server (MILLRACE_SIMULATOR=on).';
    throw invalid('model', 'UNKNOWN_MODEL', message);
  }
  const message = `There is no key for the provider "${routed.provider}", which the model "${request.model}" needs.`;
  throw invalid('model', 'NO_PROVIDER_KEY', message);
}

/** The validated body in its schema's order: what a client may write differently does not count. */
function hashBody(request: ExecuteRequest): Buffer {
  return createHash('sha256')
    .update('POST /api/v1/execute\n')
    .update(JSON.stringify(request))
    .digest();
}

function toJob(
  identity: Identity,
  request: ExecuteRequest,
  routed: { provider: string; model: string },
  idempotencyKey: string | undefined,
): NewJob {
  const parts = usableParts(request.prompt, request.structuredPrompt);
  const limits = TIERS[identity.tier];
  return {
    jobId: newId('job'),
    userId: identity.userId,
    teamId: identity.teamId,
    runId: request.runId,
    streamId: request.streamId,
    streamName: request.streamName,
    waveNumber: request.waveNumber ?? 1,
    feature: request.feature ?? request.streamId,
    provider: routed.provider,
    model: routed.model,
    simulated: routed.provider === 'simulator',
    maxTokens: request.maxTokens,
    temperature: request.temperature,
    priority: request.priority,
    prompt: toJsonText(request.prompt),
    promptParts: parts && JSON.stringify(parts),
    timeoutMs: request.timeoutMs,
    runsPerMonth: limits.runsPerMonth,
    concurrentJobs: limits.concurrentJobs,
    idempotency:
      idempotencyKey === undefined
        ? undefined
        : { key: idempotencyKey, bodyHash: hashBody(request) },
  };
}

function answer(reply: SubmitReply): Submitted {
  switch (reply.kind) {
    case 'accepted':
      return { jobId: reply.jobId, replayed: false };
    case 'replayed':
      return { jobId: reply.jobId, replayed: true };
    case 'key_reused': {
      const message = 'This Idempotency-Key was used with a different body. Use a new key.';
      throw new ServiceError('IDEMPOTENCY_KEY_REUSED', message);
    }
    case 'run_forbidden': {
      const message = 'This run belongs to another account. Use a run id of your own.';
      throw new ServiceError('FORBIDDEN', message);
    }
    case 'quota_exceeded': {
      const resetsAt = reply.monthEnd.toISOString();
      const message = `All ${reply.limit} runs of this month are used. The quota resets at ${resetsAt}.`;
      const details = { used: reply.used, limit: reply.limit, resetsAt };
      throw new ServiceError('QUOTA_EXCEEDED', message, { details });
    }
  }
}

export async function submitJob(
  deps: SubmitDeps,
  identity: Identity,
  request: ExecuteRequest,
  idempotencyKey: string | undefined,
): Promise<Submitted> {
  const routed = route(deps, request);
  return answer(await deps.submitter.submit(toJob(identity, request, routed, idempotencyKey)));
}
