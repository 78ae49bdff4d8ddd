// Turns a request to execute into a job, or says why not.
import { createHash } from 'node:crypto';
import type { ServiceTier } from '../../contract/fields.ts';
import { ServiceError, invalid } from '../../contract/errors.ts';
import { lastUserText } from '../../contract/conversation-texts.ts';
import type { ExecuteRequest } from '../../contract/job-api.ts';
import { isKeptForAnHour, readCachingHints } from '../../domain/prompt/caching-hints.ts';
import type { Caching } from '../../domain/prompt/caching-hints.ts';
import { findFacts, knownFacts } from '../../domain/model/model-facts.ts';
import { routeModel } from '../../domain/model/model-routing.ts';
import { hasFlex } from '../../domain/model/service-tier.ts';
import { readConversation, writeConversation } from '../../domain/prompt/conversation.ts';
import { usableParts } from '../../domain/prompt/prompt-parts.ts';
import type { Tiers } from '../../domain/job/tiers.ts';
import { largestCost } from '../../domain/usage/largest-cost.ts';
import type { Price } from '../../domain/usage/largest-cost.ts';
import { budgetDollars, budgetText } from '../../domain/usage/team-budget.ts';
import { roundUsd } from '../../domain/usage/usage-month.ts';
import { seal } from '../../platform/envelope.ts';
import type { MasterKeys } from '../../platform/envelope.ts';
import { newId } from '../../platform/ids.ts';
import { apiKeyIdOf } from '../../domain/access/identity.ts';
import type { Identity } from '../../domain/access/identity.ts';
import type { Db } from '../../store/postgres/db.ts';
import { toJsonText } from '../../store/postgres/json-text.ts';
import { findUsableKey } from '../../store/accounts/provider-keys.ts';
import { jobKeyBinding } from '../../store/accounts/sealed-secrets.ts';
import type { NewJob } from '../../store/jobs/new-job.ts';
import type { SubmitReply, Submitter } from '../../store/jobs/submit-jobs.ts';

interface Offered {
  needsKey: boolean;
  offersTier(model: string, tier: ServiceTier): boolean;
}

export interface SubmitDeps {
  db: Db;
  submitter: Submitter;
  tiers: Tiers;
  /** Providers that this server can call. */
  providers: ReadonlyMap<string, Offered>;
  defaultProvider: string | undefined;
  masterKeys: MasterKeys;
  /** Providers for which the operator has a key. */
  operatorKeys: ReadonlyMap<string, string>;
  price: Price;
}

export interface SubmitOptions {
  idempotencyKey: string | undefined;
  /** A key for this request alone. */
  providerKey: string | undefined;
  /** Of the request, while traces are collected. */
  trace: string | undefined;
}

export interface Submitted {
  jobId: string;
  replayed: boolean;
}

/** The provider and the model that a request names. */
export function route(
  deps: Pick<SubmitDeps, 'providers' | 'defaultProvider'>,
  request: { model: string; provider?: string | undefined },
) {
  const routed = routeModel(request.model, {
    ...(request.provider === undefined ? {} : { provider: request.provider }),
    ...(deps.defaultProvider === undefined ? {} : { defaultProvider: deps.defaultProvider }),
  });
  if (routed.kind === 'unknown') throw invalid('model', 'UNKNOWN_MODEL', routed.message);
  if (deps.providers.has(routed.provider)) return routed;
  if (routed.provider === 'simulator') {
    const message =
      'Simulated models are turned off on this server. Set MILLRACE_SIMULATOR=on to enable them.';
    throw invalid('model', 'UNKNOWN_MODEL', message);
  }
  const message = `The provider "${routed.provider}" is not available on this server.`;
  throw invalid('model', 'UNKNOWN_MODEL', message);
}

/** The sealed key of this request, or nothing when a stored or the operator's key will be used. */
export async function sealedKeyFor(
  deps: Omit<SubmitDeps, 'submitter' | 'tiers' | 'defaultProvider'>,
  identity: Identity,
  job: { jobId: string; provider: string },
  providerKey: string | undefined,
): Promise<string | undefined> {
  if (job.provider === 'simulator') return undefined;
  if (providerKey !== undefined)
    return seal(deps.masterKeys, providerKey, jobKeyBinding(job.jobId));
  if (!deps.providers.get(job.provider)!.needsKey || deps.operatorKeys.has(job.provider)) {
    return undefined;
  }
  if (await findUsableKey(deps.db, identity, job.provider)) return undefined;
  const message = `There is no key for ${job.provider}. Store one with POST /api/v1/keys, or send it as X-Provider-Key.`;
  throw invalid('model', 'NO_PROVIDER_KEY', message);
}

/** `field`: where the request has it. */
export function checkTier(
  { providers }: Pick<SubmitDeps, 'providers'>,
  { provider, model }: { provider: string; model: string },
  { serviceTier, field }: { serviceTier: ServiceTier | undefined; field: string },
): void {
  if (serviceTier === undefined || providers.get(provider)!.offersTier(model, serviceTier)) return;
  const message = hasFlex(provider)
    ? `${model} has no ${serviceTier} tier. Leave ${field} out, or use another model.`
    : `${provider} has no ${serviceTier} tier. Leave ${field} out, or use a model of OpenAI or Google.`;
  throw invalid(field, 'NOT_SUPPORTED', message);
}

/** What the model is known to refuse is said now, not by the vendor in the middle of a run. */
function checkRefusals(
  { provider, model }: { provider: string; model: string },
  { temperature }: ExecuteRequest,
): void {
  // OpenRouter leaves out what a model does not take.
  if (temperature === undefined || provider === 'openrouter') return;
  const refuses = findFacts(knownFacts(), provider, model)?.refuses ?? [];
  if (!refuses.includes('temperature')) return;
  const message = `${model} does not take a temperature. Leave it out, or use another model.`;
  throw invalid('temperature', 'NOT_SUPPORTED', message);
}

/** The validated body in its schema's order: what a client may write differently does not count. */
function hashBody(request: ExecuteRequest): Buffer {
  return createHash('sha256')
    .update('POST /api/v1/execute\n')
    .update(JSON.stringify(request))
    .digest();
}

/** The schema sees to it that there is one. */
const promptOf = ({ prompt, messages = [] }: ExecuteRequest): string =>
  prompt ?? lastUserText(messages) ?? '';

function toJob(
  tiers: Tiers,
  identity: Identity,
  request: ExecuteRequest,
  {
    routed,
    caching,
    idempotencyKey,
  }: {
    routed: { provider: string; model: string };
    caching: Caching;
    idempotencyKey: string | undefined;
  },
): Omit<NewJob, 'sealedKey' | 'largestCostUsd'> {
  const parts = usableParts(promptOf(request), request.structuredPrompt);
  const limits = tiers[identity.tier];
  return {
    jobId: newId('job'),
    userId: identity.userId,
    teamId: identity.teamId,
    apiKeyId: apiKeyIdOf(identity),
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
    reasoning: request.reasoning,
    serviceTier: request.serviceTier,
    priority: request.priority,
    prompt: toJsonText(promptOf(request)),
    promptParts: parts && JSON.stringify({ ...parts, caching }),
    conversation: writeConversation(request),
    timeoutMs: request.timeoutMs,
    runsPerMonth: limits.runsPerMonth,
    concurrentJobs: limits.concurrentJobs,
    idempotency:
      idempotencyKey === undefined
        ? undefined
        : { key: idempotencyKey, bodyHash: hashBody(request) },
  };
}

function overTeamBudget(
  { budget, costUsd }: Extract<SubmitReply, { kind: 'budget_exceeded' }>,
  resetsAt: string,
  serviceTier: ServiceTier | undefined,
): ServiceError {
  if (costUsd === null) {
    const what = serviceTier === 'flex' ? 'this model or of its flex tier' : 'this model';
    const how = serviceTier === 'flex' ? 'its prices, "tiers" included,' : 'its price';
    const message = `The price of ${what} is unknown, so the team's budget cannot be enforced. Use a model with a known price, or add ${how} on the server (MILLRACE_PRICES_FILE).`;
    return invalid('model', 'PRICE_UNKNOWN', message);
  }
  const { limitUsd, spentUsd, reservedUsd } = budget;
  const message = `The team's budget does not cover this job: ${budgetText(budget)}, and the job may cost up to ${budgetDollars(costUsd)}. Lower maxTokens, wait for open jobs to end, or ask an admin of the team to raise the budget. It resets at ${resetsAt}.`;
  const details = {
    budget: {
      limitUsd,
      spentUsd: roundUsd(spentUsd),
      reservedUsd: roundUsd(reservedUsd),
      resetsAt,
    },
  };
  return new ServiceError('QUOTA_EXCEEDED', message, { details });
}

function overRunCap({ cap, costUsd }: Extract<SubmitReply, { kind: 'cap_exceeded' }>) {
  if (costUsd === null) return unknownPrice('the limit of the run');
  const { streamId, limitUsd, spentUsd, reservedUsd } = cap;
  const what = streamId === undefined ? 'run' : `stream ${streamId}`;
  const message = `The most that the ${what} may cost does not cover this job: ${budgetText(cap)}, and the job may cost up to ${budgetDollars(costUsd)}.`;
  const amounts = { limitUsd, spentUsd: roundUsd(spentUsd), reservedUsd: roundUsd(reservedUsd) };
  const details = { cap: { streamId: streamId ?? null, ...amounts, costUsd: roundUsd(costUsd) } };
  return new ServiceError('QUOTA_EXCEEDED', message, { details });
}

function overCallLimit({ limitUsd, costUsd }: Extract<SubmitReply, { kind: 'too_dear' }>) {
  if (costUsd === null) return unknownPrice('the most that the team lets a call cost');
  const message = `The team lets one call cost ${budgetDollars(limitUsd)} at most, and this one may cost up to ${budgetDollars(costUsd)}. Lower maxTokens, or ask an admin of the team to raise maxCallCostUsd.`;
  const details = { maxCallCostUsd: limitUsd, costUsd: roundUsd(costUsd) };
  return new ServiceError('QUOTA_EXCEEDED', message, { details });
}

function unknownPrice(limit: string): ServiceError {
  const message = `The price of this model is unknown, so ${limit} cannot be enforced. Use a model with a known price, or add its price on the server (MILLRACE_PRICES_FILE).`;
  return invalid('model', 'PRICE_UNKNOWN', message);
}

function forbiddenModel(allowed: readonly string[]): ServiceError {
  const message = `The team does not allow this model. It allows: ${allowed.join(', ') || 'none'}.`;
  return new ServiceError('FORBIDDEN', message, { details: { allowedModels: allowed } });
}

/** The job, or why there is none. */
export function answer(reply: SubmitReply, serviceTier?: ServiceTier): Submitted {
  switch (reply.kind) {
    case 'accepted':
      return { jobId: reply.jobId, replayed: false };
    case 'replayed':
      return { jobId: reply.jobId, replayed: true };
    case 'key_reused': {
      const message = 'This Idempotency-Key was used with a different body. Use a new key.';
      throw new ServiceError('IDEMPOTENCY_KEY_REUSED', message);
    }
    case 'quota_exceeded': {
      const resetsAt = reply.monthEnd.toISOString();
      const message = `You have used all ${reply.limit} runs of this month. The quota resets at ${resetsAt}.`;
      const details = { used: reply.used, limit: reply.limit, resetsAt };
      throw new ServiceError('QUOTA_EXCEEDED', message, { details });
    }
    case 'budget_exceeded':
      throw overTeamBudget(reply, reply.monthEnd.toISOString(), serviceTier);
    case 'cap_exceeded':
      throw overRunCap(reply);
    case 'too_dear':
      throw overCallLimit(reply);
    case 'model_forbidden':
      throw forbiddenModel(reply.allowed);
    case 'no_place':
      throw new Error('a job always has a place, in the queue');
    case 'team_deleted':
      throw new ServiceError('FORBIDDEN', 'This team was deleted.');
    case 'not_allowed': {
      const message = 'You may no longer submit jobs in this team. Ask an owner of the team.';
      throw new ServiceError('FORBIDDEN', message);
    }
  }
}

export async function submitJob(
  deps: SubmitDeps,
  identity: Identity,
  request: ExecuteRequest,
  options: SubmitOptions,
): Promise<Submitted> {
  const routed = route(deps, request);
  checkRefusals(routed, request);
  checkTier(deps, routed, { serviceTier: request.serviceTier, field: 'serviceTier' });
  const { idempotencyKey } = options;
  const caching = readCachingHints(request.structuredPrompt?.cachingHints ?? []);
  const job = toJob(deps.tiers, identity, request, { routed, caching, idempotencyKey });
  const sealedKey = await sealedKeyFor(deps, identity, job, options.providerKey);
  const keptForAnHour = isKeptForAnHour(caching);
  const largestCostUsd = () => {
    const prompt = promptOf(request);
    const asked =
      job.conversation === undefined
        ? {}
        : { conversation: readConversation(job.conversation, prompt) };
    return largestCost(deps.price, { ...request, ...routed, prompt, ...asked, keptForAnHour });
  };
  const reply = await deps.submitter.submit({
    ...job,
    sealedKey,
    largestCostUsd,
    trace: options.trace,
  });
  return answer(reply, request.serviceTier);
}
