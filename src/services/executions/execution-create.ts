// Turns a request for an execution into one, or says why not.
import { createHash } from 'node:crypto';
import { invalid } from '../../contract/errors.ts';
import type { CreateExecutionRequest } from '../../contract/execution-api.ts';
import { DEFAULT_TIMEOUT_MS } from '../../contract/fields.ts';
import type { ServiceTier } from '../../contract/fields.ts';
import { checkPath } from '../../domain/artifact/check-path.ts';
import { affordableTokens, largestCost } from '../../domain/usage/largest-cost.ts';
import type { Price } from '../../domain/usage/largest-cost.ts';
import { PLAN_STREAM, PLANNING, planningStep } from '../../domain/execution/model.ts';
import { planPrompt } from '../../domain/execution/prompts.ts';
import { oneLine } from '../../manifest/compose/proposal.ts';
import { BASE_MAX_TOKENS, openLengthOf, outputTokensOf } from '../../domain/model/model-limits.ts';
import { newId, withPrefix } from '../../platform/ids.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { TargetRules } from '../../platform/target-guard.ts';
import { apiKeyIdOf } from '../../domain/access/identity.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { toJsonText } from '../../store/postgres/json-text.ts';
import type { NewJob, Planned } from '../../store/jobs/new-job.ts';
import { checkTier, route, sealedKeyFor } from '../jobs/submit.ts';
import { findTeamSettings } from '../../store/accounts/teams.ts';
import type { SubmitDeps } from '../jobs/submit.ts';
import { checkedTarget } from '../webhooks/webhooks.ts';
import { newExecutionWebhook } from '../webhooks/webhook-secrets.ts';

export interface CreateExecutionDeps extends SubmitDeps {
  /** For requests that name no model. */
  defaultModel: string | undefined;
  targetRules: TargetRules;
}

const SIMULATED_MODEL = 'sim-standard';
/** A little longer than the execution's own time, which comes first. */
const DEADLINE_SLACK_MS = 5000;
/** The beginning of the task, as it is shown in lists and terminals. */
const MAX_FEATURE = 200;

async function modelOf(
  deps: CreateExecutionDeps,
  request: CreateExecutionRequest,
  teamId: string,
): Promise<string> {
  if (request.model !== undefined) return request.model;
  const { defaultModel } = await findTeamSettings(deps.db, teamId);
  const model = defaultModel ?? deps.defaultModel;
  if (model !== undefined) return model;
  if (deps.providers.has('simulator') && request.provider === undefined) return SIMULATED_MODEL;
  const message =
    'No model given, and this server has no default. Send "model", or set MILLRACE_DEFAULT_MODEL on the server.';
  throw invalid('model', 'NO_DEFAULT_MODEL', message);
}

function checkContents(contents: Record<string, string>): void {
  for (const path of Object.keys(contents)) {
    const problem = checkPath(path);
    if (problem !== undefined) {
      throw invalid('context.contents', 'invalid_path', `${JSON.stringify(path)}: ${problem}.`);
    }
  }
}

/** The validated body in its schema's order, defaults filled in. */
function hashBody(request: CreateExecutionRequest, plannedBy: string | undefined): Buffer {
  const route = plannedBy === undefined ? '' : `/${plannedBy}/run`;
  return createHash('sha256')
    .update(`POST /v1/executions${route}\n`)
    .update(JSON.stringify(request))
    .digest();
}

/** A budget can only be held where every call's price is known before. */
function checkPriced(
  price: Price,
  { provider, model }: { provider: string; model: string },
  tier: ServiceTier | undefined,
): void {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, estimated: true };
  if (price(provider, model, usage) !== null) {
    if (price(provider, model, usage, tier) !== null) return;
    const message = `The price of ${model} at the ${tier} tier is unknown, so the budget cannot be enforced. Omit budgetUsd or serviceTier, or add the price as "tiers" on the server (MILLRACE_PRICES_FILE).`;
    throw invalid('options.budgetUsd', 'PRICE_UNKNOWN', message);
  }
  const message = `The price of ${model} is unknown, so the budget cannot be enforced. Omit budgetUsd, or add the price on the server (MILLRACE_PRICES_FILE).`;
  throw invalid('options.budgetUsd', 'PRICE_UNKNOWN', message);
}

/**
 * The job that plans the task, with the execution to be written beside it. With a plan that was made before,
 * the job asks no model.
 */
export async function planningJob(
  deps: CreateExecutionDeps,
  identity: Identity,
  request: CreateExecutionRequest,
  { idempotencyKey, planned }: { idempotencyKey: string | undefined; planned?: Planned },
): Promise<NewJob> {
  const { task, context, options } = request;
  checkContents(context.contents);
  const { userId, teamId } = identity;
  const model = await modelOf(deps, request, teamId);
  const routed = route(deps, { model, provider: request.provider });
  const { serviceTier } = options;
  checkTier(deps, routed, { serviceTier, field: 'options.serviceTier' });
  if (options.budgetUsd !== undefined) checkPriced(deps.price, routed, serviceTier);
  const jobId = newId('job');
  // One UUID in three ids: an answer that is repeated by its key names the job.
  const executionId = withPrefix(jobId, 'exec');
  await sealedKeyFor(deps, identity, { jobId, provider: routed.provider }, undefined);
  const url =
    options.webhookUrl === undefined
      ? undefined
      : checkedTarget(options.webhookUrl, 'options.webhookUrl', deps.targetRules);
  const limits = deps.tiers[identity.tier];
  const { name: streamName, wave } = planningStep(PLANNING);
  const name = `${routed.provider}:${routed.model}`;
  const usualTokens = options.budgetUsd === undefined ? openLengthOf(name) : outputTokensOf(name);
  const maxTokens = options.maxTokens ?? usualTokens;
  const prompt = planPrompt({ task, context, maxSteps: options.maxSteps, sha256 });
  const planTokens =
    options.budgetUsd === undefined
      ? maxTokens
      : affordableTokens(deps.price, { ...routed, prompt, serviceTier }, options.budgetUsd, {
          least: BASE_MAX_TOKENS,
          most: maxTokens,
        });
  return {
    jobId,
    userId,
    teamId,
    apiKeyId: apiKeyIdOf(identity),
    runId: withPrefix(jobId, 'run'),
    streamId: PLAN_STREAM,
    streamName,
    waveNumber: wave,
    feature: oneLine(task, MAX_FEATURE) || 'Execution',
    provider: routed.provider,
    model: routed.model,
    simulated: routed.provider === 'simulator',
    maxTokens: planTokens,
    largestCostUsd: planned
      ? () => 0
      : () => largestCost(deps.price, { ...routed, prompt, maxTokens: planTokens, serviceTier }),
    temperature: undefined,
    reasoning: options.reasoning,
    serviceTier,
    priority: 0,
    prompt: toJsonText(prompt),
    promptParts: undefined,
    sealedKey: undefined,
    timeoutMs: Math.min(DEFAULT_TIMEOUT_MS, options.timeout + DEADLINE_SLACK_MS),
    runsPerMonth: limits.runsPerMonth,
    concurrentJobs: limits.concurrentJobs,
    free: options.dryRun,
    payOnce: options.budgetUsd !== undefined,
    mayEndAtOnce: planned !== undefined || options.budgetUsd !== undefined,
    idempotency:
      idempotencyKey === undefined
        ? undefined
        : { key: idempotencyKey, bodyHash: hashBody(request, planned?.by) },
    executionId,
    execution: {
      id: executionId,
      task: toJsonText(task),
      context: JSON.stringify(context),
      dryRun: options.dryRun,
      maxSteps: options.maxSteps,
      timeoutMs: options.timeout,
      budgetUsd: options.budgetUsd,
      maxTokens,
      reasoning: options.reasoning,
      serviceTier,
      webhook:
        url === undefined
          ? undefined
          : newExecutionWebhook(deps.masterKeys, {
              userId,
              teamId,
              apiKeyId: apiKeyIdOf(identity),
              executionId,
              url,
            }).webhook,
      ...(planned && { planned }),
    },
  };
}
